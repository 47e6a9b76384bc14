_locationd_bridge() {
    local kind
    case $3 in
        --config | --daemon | --gpsd-socket) kind=(-f) ;;
        --gpsd) kind=(-W '127.0.0.1:2947 127.0.0.1:2948 [::1]:2947 [::1]:2948') ;;
        --log-level) kind=(-W 'trace debug info notice warning error critical') ;;
        *) kind=(-W '--config --check-config --daemon --gpsd --gpsd-socket --geoclue --log-level --version --help') ;;
    esac
    mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$2")
}

complete -o filenames -F _locationd_bridge locationd-bridge
