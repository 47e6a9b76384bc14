#compdef locationd-bridge

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and exit]' \
    "--daemon[the daemon's socket]:file:_files" \
    "*--gpsd[serve gpsd's protocol at this address]:address:(127.0.0.1\:2947 127.0.0.1\:2948 \[\:\:1\]\:2947 \[\:\:1\]\:2948)" \
    "--gpsd-socket[serve gpsd's protocol at this Unix socket]:file:_files" \
    '--geoclue[serve programs that are written for GeoClue]' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and exit]' \
    '(- *)--help[print a summary and exit]'
