complete -c locationd-fleet -f
complete -c locationd-fleet -l config -r -F -d 'Read this configuration'
complete -c locationd-fleet -l check-config -d 'Check the configuration and exit'
complete -c locationd-fleet -l daemon -r -F -d "The daemon's socket"
complete -c locationd-fleet -l broker -x -a 'mqtt:// mqtts://' -d 'The broker'
complete -c locationd-fleet -l user -x -d 'The part of the topics that names the user'
complete -c locationd-fleet -l device -x -d 'The part of the topics that names the device'
complete -c locationd-fleet -l password-file -r -F -d 'The file with user name and password'
complete -c locationd-fleet -l ca-file -r -F -d 'The authorities whose certificates are believed'
complete -c locationd-fleet -l outbox -r -F -d 'The file of the messages that no broker has yet'
complete -c locationd-fleet -l include-simulated -d 'Publish simulated locations too'
complete -c locationd-fleet -l log-level -x -a 'trace debug info notice warning error critical' -d 'Log this level and above'
complete -c locationd-fleet -l version -d 'Print the version and exit'
complete -c locationd-fleet -l help -d 'Print a summary and exit'
