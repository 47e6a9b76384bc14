_locationd_fleet() {
    local kind
    case $3 in
        --config | --daemon | --password-file | --ca-file | --outbox) kind=(-f) ;;
        --broker) kind=(-W 'mqtt:// mqtts://') ;;
        --user | --device | --topic) kind=(-W '') ;;
        --log-level) kind=(-W 'trace debug info notice warning error critical') ;;
        *) kind=(-W '--config --check-config --daemon --broker --user --device --password-file --ca-file --outbox --include-simulated --list-devices --topic --log-level --version --help') ;;
    esac
    mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$2")
}

complete -o filenames -F _locationd_fleet locationd-fleet
