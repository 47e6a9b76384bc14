"""Asks for the position by GeoClue's library, as the application whose id it is given, and says what it gets."""

import sys

import gi

gi.require_version("Geoclue", "2.0")
from gi.repository import Geoclue, GLib  # noqa: E402


def main():
    try:
        simple = Geoclue.Simple.new_sync(sys.argv[1], Geoclue.AccuracyLevel.EXACT, None)
    except GLib.Error as error:
        sys.exit(f"refused: {error.message}")

    def moved(*_):
        location = simple.get_location()
        print("at", location.props.latitude, location.props.longitude, location.props.accuracy, flush=True)

    moved()
    simple.connect("notify::location", moved)
    # In a sandbox the portal's client is another.
    if client := simple.get_client():
        client.connect("notify::active", lambda *_: print("started" if client.props.active else "stopped", flush=True))
    GLib.MainLoop().run()


main()
