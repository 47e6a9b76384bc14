"""Map tiles for gtk_map.py, and the projection that they share.

A tile server on the network learns from the tiles where the machine is: gtk_map.py fetches none unless it is told to. For
OpenStreetMap's server its policy holds (https://operations.osmfoundation.org/policies/tiles/). A file:// URL works too.
"""

import math
import threading
import urllib.request

from gi.repository import Gdk, GdkPixbuf, GLib

SIDE = 256  #: Pixels of a tile.
CREDIT = "© OpenStreetMap contributors"


def project(latitude, longitude, zoom):
    """Web Mercator: pixels from the left and the top of the world, and the length of a metre there in pixels."""
    world = SIDE * 2**zoom
    angle = math.radians(max(-85.05, min(85.05, latitude)))  # The map ends there.
    return ((longitude + 180) / 360 * world, (1 - math.asinh(math.tan(angle)) / math.pi) / 2 * world,
            world / (2 * math.pi * 6378137 * math.cos(angle)))


class Tiles:
    """The tiles that were fetched so far. Each is asked for once; one that fails stays empty."""

    def __init__(self, url, zoom, arrived):
        self.url, self.zoom, self.arrived, self.pictures = url, zoom, arrived, {}

    def draw(self, context, column, row, corner):
        """Draws a tile with its upper left corner there, or returns False while it is not here."""
        key = column % 2**self.zoom, row
        if key not in self.pictures:
            self.pictures[key] = None
            threading.Thread(target=self.fetch, args=key, daemon=True).start()
        if self.pictures[key] is None:
            return False
        Gdk.cairo_set_source_pixbuf(context, self.pictures[key], *corner)
        context.paint()
        return True

    def fetch(self, column, row):
        request = urllib.request.Request(self.url.format(z=self.zoom, x=column, y=row),
                                         headers={"User-Agent": "locationd-example-map/1"})
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                loader = GdkPixbuf.PixbufLoader()
                loader.write(reply.read())
                loader.close()
        except (OSError, GLib.Error):
            return
        self.pictures[column, row] = loader.get_pixbuf()
        self.arrived()
