"""GNOME Shell, read and moved from within: its `Eval` reads the texts that it draws, and moves a mouse and keys."""

import json

import accessible
from desktop import Desktop, Label
from patience import Failure, until

SIZE = "1280x800"
#: Where the machine has the program that follows.
EVALUATOR_PATH = "/usr/local/bin/evaluate.py"
#: Runs each line of JavaScript within the shell, and gives a line of JSON for it.
EVALUATOR = """
import json, sys
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
for line in sys.stdin:
    try:
        said = bus.call_sync("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell", "Eval",
                             GLib.Variant("(s)", (json.loads(line),)), None, 0, 30000).unpack()
    except GLib.Error as error:
        said = [False, error.message]
    print(json.dumps(said), flush=True)
"""
#: What stands for gdm: its version, which GNOME Shell asks for before it locks the screen.
DISPLAY_MANAGER = """
from gi.repository import Gio, GLib
NODE = Gio.DBusNodeInfo.new_for_xml('''<node><interface name="org.gnome.DisplayManager.Manager">
<property name="Version" type="s" access="read"/></interface></node>''')
def acquired(bus, name):
    bus.register_object("/org/gnome/DisplayManager/Manager", NODE.interfaces[0], None,
                        lambda *_: GLib.Variant("s", "48.0"), None)
Gio.bus_own_name(Gio.BusType.SYSTEM, "org.gnome.DisplayManager", 0, acquired, None, None)
GLib.MainLoop().run()
"""
DISPLAY_MANAGER_POLICY = """<busconfig><policy user="root"><allow own="org.gnome.DisplayManager"/></policy>
<policy context="default"><allow send_destination="org.gnome.DisplayManager"/></policy></busconfig>
"""
#: A mouse and a keyboard, a record of the notifications, and animations as with a graphics card, because without them
#: the queue of notifications stops at times.
PREPARE = """
const Clutter = imports.gi.Clutter;
global.force_animations = true;
global.shown = [];
const note = (_, shown) => global.shown.push(`${shown.title} | ${shown.body}`);
const record = source => source.connect('notification-added', note);
Main.messageTray.getSources().forEach(record);
Main.messageTray.connect('source-added', (_, source) => record(source));
const seat = Clutter.get_default_backend().get_default_seat();
global.pointer = seat.create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE);
global.keyboard = seat.create_virtual_device(Clutter.InputDeviceType.KEYBOARD_DEVICE);
Main.overview.hide();
1"""
#: What the shell draws, and the rectangles of the window in front: without and with its shadow.
LABELS = """
const St = imports.gi.St, found = [], front = global.display.focus_window;
const rectangle = place => [place.x, place.y, place.width, place.height];
const look = actor => {
    if (!actor.visible || !actor.mapped || actor.opacity == 0) return;
    const isButton = actor instanceof St.Button;
    const isClose = isButton && actor.has_style_class_name('message-close-button');
    const text = isClose ? 'Close' : isButton ? actor.label || actor.accessible_name : actor.text;
    if (text) {
        const [x, y] = actor.get_transformed_position(), [width, height] = actor.get_transformed_size();
        found.push([Math.round(x + width / 2), Math.round(y + height / 2), text, isButton]);
    } else {
        actor.get_children().forEach(look);
    }
};
look(global.stage);
[found, front ? [rectangle(front.get_frame_rect()), rectangle(front.get_buffer_rect())] : []]"""


class Gnome(Desktop):
    name, shell_target = "gnome", "org.gnome.Shell.target"
    session = ("--setenv=XDG_CURRENT_DESKTOP=GNOME", "gnome-session")

    def install(self):
        machine = self.machine
        self.drop_in("/etc/systemd/user/org.gnome.Shell@wayland.service.d",
                     f"/usr/bin/gnome-shell --headless --unsafe-mode --virtual-monitor {SIZE}")
        machine.write("/etc/dbus-1/system.d/gdm.conf", DISPLAY_MANAGER_POLICY)
        # GNOME's own portal shows no question for a program without a window.
        machine.write("/etc/xdg/xdg-desktop-portal/portals.conf",
                      "[preferred]\ndefault=gnome;gtk\norg.freedesktop.impl.portal.Access=gtk\n")
        machine.run("systemctl", "reload", "dbus")
        machine.start("python3", "-c", DISPLAY_MANAGER)
        super().install()

    def log_in(self, language="C.UTF-8"):
        super().log_in(language)
        self.machine.write(EVALUATOR_PATH, EVALUATOR)
        self.evaluate = self.converse("python3", EVALUATOR_PATH)
        self.js(PREPARE)
        # The overview, with which a session begins, goes.
        until("the overview has gone", lambda: self.js("Main.overview.visible") is False)

    def js(self, code):
        """What JavaScript gives within the shell."""
        good, said = json.loads(self.evaluate(json.dumps(code)))
        if not good:
            raise Failure(f"GNOME Shell: {said}\n{code}")
        return json.loads(said) if said else None

    def shown(self):
        """The notifications since the login, each with its title and text."""
        return self.js("global.shown")

    def has_pin(self):
        """Whether the top bar says that a program receives the position."""
        return self.js("Main.panel.statusArea.quickSettings._location._indicator.visible")

    def labels(self):
        found, rectangles = self.js(LABELS)
        if rectangles:
            for _, width, height, texts in accessible.windows(self):
                for left, top in [(x, y) for x, y, *size in rectangles if size == [width, height]][:1]:
                    found += [[left + x, top + y, text, is_button] for x, y, text, is_button in texts]
        return [Label(*one) for one in found]

    def point_at(self, text):
        """Moves the mouse to a text, which unfolds a notification."""
        label = self.see(text)
        self.js(f"global.pointer.notify_absolute_motion(0, {label.x}, {label.y}); 1")

    def click_at(self, x, y):
        self.js(f"global.pointer.notify_absolute_motion(0, {x}, {y}); 1")
        # The button has to know that the pointer is above it.
        where = "const [x, y] = global.get_pointer(); [Math.round(x), Math.round(y)]"
        until("the pointer is there", lambda: self.js(where) == [x, y])
        for state in ("PRESSED", "RELEASED"):
            self.js("const Clutter = imports.gi.Clutter;"
                    f"global.pointer.notify_button(0, Clutter.BUTTON_PRIMARY, Clutter.ButtonState.{state}); 1")

    def press(self, text):
        for character in text:
            self.key(f"imports.gi.Clutter.unicode_to_keysym({ord(character)})")

    def press_return(self):
        self.key("imports.gi.Clutter.KEY_Return")

    def key(self, symbol):
        for state in ("PRESSED", "RELEASED"):
            self.js(f"global.keyboard.notify_keyval(0, {symbol}, imports.gi.Clutter.KeyState.{state}); 1")

    def picture(self):
        self.run("gdbus", "call", "--session", "--dest", "org.gnome.Shell.Screenshot",
                 "--object-path", "/org/gnome/Shell/Screenshot",
                 "--method", "org.gnome.Shell.Screenshot.Screenshot", "true", "false", "/tmp/shot.png")
        return self.bytes_of("/tmp/shot.png")
