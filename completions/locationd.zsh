#compdef locationd

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--policy[read these rules]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and the policy and leave]' \
    '--runtime-directory[where the sockets are]:directory:_files -/' \
    '--state-directory[where state is kept]:directory:_files -/' \
    '(--simulate --replay)--gpsd[take locations from this gpsd alone]:host and port:' \
    '(--gpsd --replay)--simulate[take locations from a simulator alone]' \
    '(--gpsd --simulate)--replay[take locations from this recording alone]:file:_files' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and leave]' \
    '(- *)--help[print a summary and leave]'
