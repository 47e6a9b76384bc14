complete -c locationd-web -f
complete -c locationd-web -l config -r -F -d 'Read this configuration'
complete -c locationd-web -l check-config -d 'Check the configuration and exit'
complete -c locationd-web -l daemon -r -F -d "The daemon's socket"
complete -c locationd-web -l listen -x -a '127.0.0.1:8447 [::1]:8447' -d 'Listen at this address, and print a link'
complete -c locationd-web -l pages -r -F -d 'The folder of the pages'
complete -c locationd-web -l log-level -x -a 'trace debug info notice warning error critical' -d 'Log this level and above'
complete -c locationd-web -l version -d 'Print the version and exit'
complete -c locationd-web -l help -d 'Print a summary and exit'
