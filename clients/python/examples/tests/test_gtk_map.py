"""gtk_map.py on a display of its own. Debian: python3-gi python3-gi-cairo gir1.2-gtk-3.0 xvfb."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

from scripted import Daemon, boot_time, location, locationd, made, status, wire_location, wire_status

if not shutil.which("Xvfb"):
    raise unittest.SkipTest("there is no Xvfb; install xvfb")
reader, writer = os.pipe()
display = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24"], pass_fds=[writer], stderr=subprocess.DEVNULL)
os.close(writer)
os.environ["DISPLAY"] = ":" + os.read(reader, 16).decode().strip()
os.environ |= {"GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"}
try:
    import cairo
    import gtk_map
    from gi.repository import GLib, Gtk
except (ImportError, ValueError) as error:
    display.kill()
    display.wait()
    raise unittest.SkipTest(f"{error}; install python3-gi, python3-gi-cairo and gir1.2-gtk-3.0") from None

DOT = (25, 102, 230)


def tearDownModule():
    display.kill()
    display.wait()


class Window(unittest.TestCase):
    """A window, and what it shows as pixels; a copy goes into the folder $SCREENSHOTS, if that is set."""

    def show(self, chart):
        self.chart, self.window = chart, Gtk.Window(default_width=640, default_height=480)
        self.window.add(chart)
        self.window.show_all()
        self.turn_until(lambda: self.chart.get_allocated_width() >= 640)

    def tearDown(self):
        self.window.destroy()

    def turn_until(self, done):
        """Runs the main loop until something holds."""
        late = []
        timer = GLib.timeout_add_seconds(30, lambda: late.append(True) or True)
        while not done():
            Gtk.main_iteration()
            self.assertFalse(late, "what is waited for comes")
        GLib.source_remove(timer)

    def pixel(self, x=320, y=240):
        surface = cairo.ImageSurface(cairo.FORMAT_RGB24, 640, 480)
        self.chart.draw_map(cairo.Context(surface))
        if folder := os.environ.get("SCREENSHOTS"):
            surface.write_to_png(os.path.join(folder, self.id() + ".png"))
        blue, green, red = surface.get_data()[y * surface.get_stride() + 4 * x:][:3]
        return red, green, blue


class Picture(Window):
    def setUp(self):
        self.show(gtk_map.Map())

    def test_fix_is_a_dot_in_a_circle(self):
        self.chart.apply(status("tracking"))
        self.chart.apply(location(horizontal_accuracy=60.0, source=made(
            locationd.Source, name="simulator", method="simulated", is_simulated=True, is_replayed=False)))
        self.assertEqual(self.pixel(), DOT)
        inside, outside = self.pixel(340, 250), self.pixel(600, 450)
        self.assertGreater(inside[2] - inside[0], 20, "the circle is bluish")
        self.assertLess(outside[2] - outside[0], 5, "the map is not")

    def test_accuracy_that_is_not_known_has_no_circle(self):
        self.chart.apply(location())
        self.assertEqual(self.pixel(), DOT)
        self.assertLess(self.pixel(332, 252)[2] - self.pixel(332, 252)[0], 5)

    def test_lost_fix_is_a_sentence_and_no_dot(self):
        for source in ("lost", "searching", "unavailable", "stopped", None):
            self.chart.apply(location(horizontal_accuracy=5.0))
            self.assertEqual(self.pixel(), DOT)
            self.chart.apply(status(source, "the receiver /dev/ttyACM0 has sent nothing for 3 s; check its cable"))
            self.assertNotEqual(self.pixel(), DOT)
            self.assertEqual(self.chart.sentence, "the receiver /dev/ttyACM0 has sent nothing for 3 s; check its cable")

    def test_location_that_got_old_is_no_dot(self):
        self.chart.apply(location(monotonic_time=boot_time() - 11))
        self.assertNotEqual(self.pixel(), DOT)

    def test_poles_and_the_date_line_are_drawn(self):
        for latitude, longitude in ((90, 0), (-90, 0), (0, 180), (0, -180), (89.9, 179.9)):
            self.chart.apply(location(latitude=latitude, longitude=longitude, horizontal_accuracy=5.0))
            self.assertEqual(self.pixel(), DOT)

    def test_watch_is_shown_and_its_refusal_too(self):
        with Daemon() as daemon, locationd.Client(daemon.path) as client:
            threading.Thread(target=gtk_map.follow, args=(client, self.chart), daemon=True).start()
            daemon.say(wire_status("tracking"), wire_location(1, horizontalAccuracy=5.0))
            self.turn_until(lambda: self.chart.location)
            self.assertEqual(self.pixel(), DOT)
            daemon.say(wire_status("stopped", reason="an administrator has denied it"))
            self.turn_until(lambda: not self.chart.location)
            self.assertEqual(self.chart.sentence, "an administrator has denied it")
            self.assertNotEqual(self.pixel(), DOT)


class Tiles(Window):
    def test_tiles_are_drawn_when_they_have_come(self):
        with tempfile.TemporaryDirectory() as folder:
            red = cairo.ImageSurface(cairo.FORMAT_RGB24, 256, 256)
            context = cairo.Context(red)
            context.set_source_rgb(1, 0, 0)
            context.paint()
            red.write_to_png(os.path.join(folder, "tile.png"))
            self.show(gtk_map.Map(tiles=pathlib.Path(folder).as_uri() + "/tile.png#{z}/{x}/{y}"))
            self.chart.apply(location())
            self.turn_until(lambda: self.pixel(600, 450) == (255, 0, 0))
            self.assertEqual(self.pixel(), DOT)


if __name__ == "__main__":
    unittest.main()
