_locationd_history() {
    local kind
    case $3 in
        --config | --daemon | --file | --socket) kind=(-f) ;;
        --log-level) kind=(-W 'trace debug info notice warning error critical') ;;
        *) kind=(-W '--config --check-config --daemon --file --socket --read-only --include-simulated --log-level --version --help') ;;
    esac
    mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$2")
}

complete -o filenames -F _locationd_history locationd-history
