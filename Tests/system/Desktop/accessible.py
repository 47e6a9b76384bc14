"""The texts that programs of GTK tell assistive programs (AT-SPI), with their places within their windows."""

import json

#: Prints a list of windows, each with its name, its size and its texts: middle, text, and whether it is a button.
LOOK = """
import json, gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib
BUTTONS = Atspi.Role.PUSH_BUTTON, Atspi.Role.TOGGLE_BUTTON
def look(thing, texts):
    if not thing.get_state_set().contains(Atspi.StateType.SHOWING):
        return
    place = Atspi.Component.get_extents(thing, Atspi.CoordType.WINDOW)
    is_button, text = thing.get_role() in BUTTONS, thing.get_name()
    if text and place.width > 0 and place.height > 0 and thing.get_role() not in (Atspi.Role.FRAME, Atspi.Role.DIALOG):
        texts.append([place.x + place.width // 2, place.y + place.height // 2, text, is_button])
    for child in [] if is_button and text else children(thing):
        look(child, texts)
def children(thing):
    return filter(None, (thing.get_child_at_index(index) for index in range(thing.get_child_count())))
windows = []
for program in children(Atspi.get_desktop(0)):
    try:
        for window in children(program):
            place, texts = Atspi.Component.get_extents(window, Atspi.CoordType.WINDOW), []
            look(window, texts)
            if texts:
                windows.append([window.get_name(), place.width, place.height, texts])
    except GLib.Error:
        pass  # A program that goes meanwhile.
print(json.dumps(windows))
"""


def windows(desktop):
    """Name, width, height and texts of each window."""
    return json.loads(desktop.run("python3", "-c", LOOK))
