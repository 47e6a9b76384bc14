#compdef locationd-fleet

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and exit]' \
    "--daemon[the daemon's socket]:file:_files" \
    '--broker[the broker]:address:(mqtt\:// mqtts\://)' \
    '--user[the part of the topics that names the user]:name:' \
    '--device[the part of the topics that names the device]:name:' \
    '--password-file[the file with user name and password]:file:_files' \
    '--ca-file[the authorities whose certificates are believed]:file:_files' \
    '--outbox[the file of the messages that no broker has yet]:file:_files' \
    '--include-simulated[publish simulated locations too]' \
    '--list-devices[write what the devices of the broker report]' \
    '--topic[the topics to subscribe to]:filter:' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and exit]' \
    '(- *)--help[print a summary and exit]'
