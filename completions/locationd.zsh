#compdef locationd

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--policy[read these rules]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and the policy and exit]' \
    '--runtime-directory[directory of the sockets]:directory:_files -/' \
    '--state-directory[directory of the persistent state]:directory:_files -/' \
    '(--simulate --replay)--gpsd[use only this gpsd]:host and port:' \
    '(--gpsd --replay)--simulate[use only a simulator]' \
    '(--gpsd --simulate)--replay[use only this recording]:file:_files' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and exit]' \
    '(- *)--help[print a summary and exit]'
