_locationd_web() {
    local kind
    case $3 in
        --config | --daemon | --pages) kind=(-f) ;;
        --listen) kind=(-W '127.0.0.1:8447 [::1]:8447') ;;
        --log-level) kind=(-W 'trace debug info notice warning error critical') ;;
        *) kind=(-W '--config --check-config --daemon --listen --pages --log-level --version --help') ;;
    esac
    mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$2")
}

complete -o filenames -F _locationd_web locationd-web
