complete -c locationd-history -f
complete -c locationd-history -l config -r -F -d 'Read this configuration'
complete -c locationd-history -l check-config -d 'Check the configuration and exit'
complete -c locationd-history -l daemon -r -F -d "The daemon's socket"
complete -c locationd-history -l file -r -F -d 'Write the track to this GeoPackage'
complete -c locationd-history -l socket -r -F -d 'Serve the track at this socket'
complete -c locationd-history -l read-only -d 'Record nothing and serve the file alone'
complete -c locationd-history -l include-simulated -d 'Record simulated and replayed locations too'
complete -c locationd-history -l log-level -x -a 'trace debug info notice warning error critical' -d 'Log this level and above'
complete -c locationd-history -l version -d 'Print the version and exit'
complete -c locationd-history -l help -d 'Print a summary and exit'
