"""A window that shows where the machine is: a dot, the circle of its accuracy, and the reason while there is no fix.

    python3 gtk_map.py [--zoom 16] [--tiles https://tile.openstreetmap.org/{z}/{x}/{y}.png]

Without --tiles it fetches nothing and draws a grid with its scale; map_tiles.py says what --tiles does. Needs Debian's python3-gi,
python3-gi-cairo and gir1.2-gtk-3.0. The watch has a thread of its own; GTK's main loop alone touches the widget.
"""

import argparse
import math
import textwrap
import threading

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

import locationd  # noqa: E402
import map_tiles  # noqa: E402

STALE = 10  #: Seconds, after which a location is not drawn any more, whatever the last status was.


class Map(Gtk.DrawingArea):
    def __init__(self, zoom=16, tiles=None):
        super().__init__()
        self.zoom, self.location, self.sentence = zoom, None, "connecting"
        self.tiles = map_tiles.Tiles(tiles, zoom, lambda: GLib.idle_add(self.queue_draw)) if tiles else None
        self.connect("draw", lambda _, context: self.draw_map(context))
        GLib.timeout_add_seconds(1, lambda: self.queue_draw() or True)  # A location gets old while nothing comes.

    def apply(self, update):
        """Takes an update of the watch, or a sentence, on the main loop."""
        if isinstance(update, locationd.Location):
            self.location = update
        elif isinstance(update, str) or update.source != "tracking":
            self.location = None  # What was the position is not the position now.
            self.sentence = update if isinstance(update, str) else update.reason or f"no fix: {update.source}"
        self.queue_draw()

    def draw_map(self, context):
        width, height, here = self.get_allocated_width(), self.get_allocated_height(), self.location
        context.set_source_rgb(0.95, 0.95, 0.92)
        context.paint()
        context.set_font_size(14)
        if here is None or here.age() > STALE:
            return self.write(context, height / 2, self.sentence if here is None else f"no fix for {here.age():.0f} seconds")
        x, y, metre = map_tiles.project(here.latitude, here.longitude, self.zoom)
        left, top = x - width / 2, y - height / 2
        step = map_tiles.SIDE if self.tiles else 10 ** math.ceil(math.log10(40 / metre)) * metre
        for column in range(math.floor(left / step), math.floor((left + width) / step) + 1):
            for row in range(math.floor(top / step), math.floor((top + height) / step) + 1):
                corner = round(column * step - left), round(row * step - top)
                if not (self.tiles and self.tiles.draw(context, column, row, corner)):
                    next_corner = round((column + 1) * step - left), round((row + 1) * step - top)
                    context.rectangle(corner[0] + 0.5, corner[1] + 0.5, next_corner[0] - corner[0], next_corner[1] - corner[1])
        context.set_source_rgb(0.8, 0.8, 0.8)
        context.set_line_width(1)
        context.stroke()
        context.set_source_rgba(0.1, 0.4, 0.9, 0.25)
        context.arc(width / 2, height / 2, (here.horizontal_accuracy or 0) * metre, 0, 2 * math.pi)
        context.fill()
        context.set_source_rgb(0.1, 0.4, 0.9)
        context.arc(width / 2, height / 2, 6, 0, 2 * math.pi)
        context.fill()
        accuracy = "accuracy unknown" if here.horizontal_accuracy is None else f"±{here.horizontal_accuracy:.1f} m"
        origin = "  simulated" if here.source.is_simulated else "  replayed" if here.source.is_replayed else ""
        self.write(context, 24, f"{here.latitude:.6f}, {here.longitude:.6f}  {accuracy}{origin}")
        self.write(context, height - 12, map_tiles.CREDIT if self.tiles else f"a square is {step / metre:,.0f} m wide")

    def write(self, context, y, text):
        context.set_source_rgb(0, 0, 0)
        for number, line in enumerate(textwrap.wrap(text, max(20, self.get_allocated_width() // 8))):
            context.move_to(12, y + 20 * number)
            context.show_text(line)


def follow(client, chart):
    """Hands each update to the main loop; on a thread of its own."""
    try:
        for update in client.watch(purpose="map window"):
            GLib.idle_add(chart.apply, update)
    except locationd.LocationdError as error:
        GLib.idle_add(chart.apply, str(error))


def main():
    arguments = argparse.ArgumentParser(description="Shows where this machine is.")
    arguments.add_argument("--zoom", type=int, default=16, choices=range(1, 20), metavar="1…19")
    arguments.add_argument("--tiles", help="URL of map tiles with {z}, {x} and {y}")
    chart = Map(**vars(arguments.parse_args()))
    window = Gtk.Window(title="locationd", default_width=640, default_height=480)
    window.add(chart)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    with locationd.Client() as client:
        threading.Thread(target=follow, args=(client, chart), daemon=True).start()
        Gtk.main()


if __name__ == "__main__":
    main()
