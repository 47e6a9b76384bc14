#compdef locationd-web

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and exit]' \
    "--daemon[the daemon's socket]:file:_files" \
    '*--listen[listen at this address, and print a link]:address:(127.0.0.1\:8447 \[\:\:1\]\:8447)' \
    '--pages[the folder of the pages]:folder:_files -/' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and exit]' \
    '(- *)--help[print a summary and exit]'
