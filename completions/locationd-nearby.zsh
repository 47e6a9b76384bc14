#compdef locationd-nearby

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and exit]' \
    "--daemon[the daemon's socket]:file:_files" \
    '--observations[take what is received from this file]:file:_files' \
    '--socket[tell positions at this socket]:file:_files' \
    '--control[serve administrators at this socket]:file:_files' \
    '--store[remember places in this file]:file:_files' \
    '--key[the key under which addresses are remembered]:file:_files' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and exit]' \
    '(- *)--help[print a summary and exit]'
