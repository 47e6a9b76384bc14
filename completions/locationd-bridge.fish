complete -c locationd-bridge -f
complete -c locationd-bridge -l config -r -F -d 'Read this configuration'
complete -c locationd-bridge -l check-config -d 'Check the configuration and exit'
complete -c locationd-bridge -l daemon -r -F -d "The daemon's socket"
complete -c locationd-bridge -l gpsd -x -a '127.0.0.1:2947 127.0.0.1:2948 [::1]:2947 [::1]:2948' -d "Serve gpsd's protocol at this address"
complete -c locationd-bridge -l gpsd-socket -r -F -d "Serve gpsd's protocol at this Unix socket"
complete -c locationd-bridge -l geoclue -d 'Serve programs that are written for GeoClue'
complete -c locationd-bridge -l log-level -x -a 'trace debug info notice warning error critical' -d 'Log this level and above'
complete -c locationd-bridge -l version -d 'Print the version and exit'
complete -c locationd-bridge -l help -d 'Print a summary and exit'
