complete -c locationd-nearby -f
complete -c locationd-nearby -l config -r -F -d 'Read this configuration'
complete -c locationd-nearby -l check-config -d 'Check the configuration and exit'
complete -c locationd-nearby -l daemon -r -F -d "The daemon's socket"
complete -c locationd-nearby -l observations -r -F -d 'Take what is received from this file'
complete -c locationd-nearby -l socket -r -F -d 'Tell positions at this socket'
complete -c locationd-nearby -l control -r -F -d 'Serve administrators at this socket'
complete -c locationd-nearby -l store -r -F -d 'Remember places in this file'
complete -c locationd-nearby -l key -r -F -d 'The key under which addresses are remembered'
complete -c locationd-nearby -l log-level -x -a 'trace debug info notice warning error critical' -d 'Log this level and above'
complete -c locationd-nearby -l version -d 'Print the version and exit'
complete -c locationd-nearby -l help -d 'Print a summary and exit'
