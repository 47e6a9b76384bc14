_locationd_places() {
    local kind
    case $3 in
        --config | --socket) kind=(-f) ;;
        --log-level) kind=(-W 'trace debug info notice warning error critical') ;;
        *) kind=(-W '--config --check-config --socket --log-level --version --help') ;;
    esac
    mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$2")
}

complete -o filenames -F _locationd_places locationd-places
