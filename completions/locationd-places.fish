complete -c locationd-places -f
complete -c locationd-places -l config -r -F -d 'Read this configuration'
complete -c locationd-places -l check-config -d 'Check the configuration and exit'
complete -c locationd-places -l socket -r -F -d 'Listen on this socket'
complete -c locationd-places -l log-level -x -a 'trace debug info notice warning error critical' -d 'Log this level and above'
complete -c locationd-places -l version -d 'Print the version and exit'
complete -c locationd-places -l help -d 'Print a summary and exit'
