#compdef locationd-places

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and exit]' \
    '--socket[listen on this socket]:file:_files' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and exit]' \
    '(- *)--help[print a summary and exit]'
