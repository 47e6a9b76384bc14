_locationd() {
    local flags='--config --policy --check-config --runtime-directory --state-directory --gpsd --simulate --replay
        --log-level --version --help'
    local kind
    case $3 in
        --config | --policy | --replay) kind=(-f) ;;
        --runtime-directory | --state-directory) kind=(-d) ;;
        --log-level) kind=(-W 'trace debug info notice warning error critical') ;;
        --gpsd) kind=(-W '127.0.0.1:2947 [::1]:2947') ;;
        *) kind=(-W "$flags") ;;
    esac
    mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$2")
}

complete -o filenames -F _locationd locationd
