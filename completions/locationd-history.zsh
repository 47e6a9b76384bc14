#compdef locationd-history

_arguments -S \
    '--config[read this configuration]:file:_files -g "*.toml(-.)"' \
    '--check-config[check the configuration and exit]' \
    "--daemon[the daemon's socket]:file:_files" \
    '--file[write the track to this GeoPackage]:file:_files -g "*.gpkg(-.)"' \
    '--socket[serve the track at this socket]:file:_files' \
    '--read-only[record nothing and serve the file alone]' \
    '--include-simulated[record simulated and replayed locations too]' \
    '--log-level[log this level and above]:level:(trace debug info notice warning error critical)' \
    '(- *)--version[print the version and exit]' \
    '(- *)--help[print a summary and exit]'
