_locationd_nearby() {
    local kind
    case $3 in
        --config | --daemon | --observations | --socket | --control | --store | --key) kind=(-f) ;;
        --log-level) kind=(-W 'trace debug info notice warning error critical') ;;
        *) kind=(-W '--config --check-config --daemon --observations --socket --control --store --key --log-level --version --help') ;;
    esac
    mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$2")
}

complete -o filenames -F _locationd_nearby locationd-nearby
