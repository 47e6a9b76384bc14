"""Floods by way of the programs around the daemon: what a user may send to the bridge, the pages and the bus."""

import contextlib
import http.client
import itertools
import json
import select
import socket

# gpsd's protocol.
WATCH = b'?WATCH={"enable":true,"json":true};\n'
UNWATCH = b'?WATCH={"enable":false};\n'
DEVICES = b"?DEVICES;" * 16 + b"\n"
# An object that is long to read.
LONG_WATCH = b"?WATCH={" + b",".join(b'"a%d":[1,2.5,{}]' % number for number in range(600)) + b"};\n"
# The limit of the pages for a body.
BODY = json.dumps({"add": [{"identifier": str(number), "center": {"latitude": 50.0, "longitude": 8.0}, "radius": 100.0}
                           for number in range(700)]}).encode()[:65_000]


def send_for_ever(place, done, connections, requests, reads=True):
    """Sends over so many connections whatever is accepted, and connects anew where one is closed."""
    poll = select.epoll()
    opened = {}

    def open_connection():
        connection = socket.socket()
        # What is not read stays in the sender's memory.
        if not reads:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect(("127.0.0.1", place.gpsd))
        connection.setblocking(False)
        poll.register(connection, select.EPOLLOUT | (select.EPOLLIN if reads else 0))
        opened[connection.fileno()] = [connection, b"", itertools.cycle(requests)]

    for _ in range(connections):
        open_connection()
    while True:
        for descriptor, events in poll.poll():
            entry = opened[descriptor]
            connection, unsent, following = entry
            try:
                if events & select.EPOLLIN and not connection.recv(1 << 16):
                    raise OSError
                unsent = unsent or next(following)
                sent = connection.send(unsent)
                entry[1] = unsent[sent:]
                done.value += sent
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(descriptor)
                opened.pop(descriptor)[0].close()
                # A full service closes at once: that is not to become a loop that only connects.
                with contextlib.suppress(OSError):
                    open_connection()
            if not opened:
                open_connection()


def watch_toggles(place, done, connections):
    """Reports on and off."""
    send_for_ever(place, done, connections, [WATCH, UNWATCH])


def unread_answers(place, done, connections):
    """Asks for lists, and never reads them."""
    send_for_ever(place, done, connections, [WATCH, *[DEVICES] * 64], reads=False)


def garbage_lines(place, done, connections):
    """Short lines that are no requests, and long objects."""
    send_for_ever(place, done, connections, [b"x\n" * 2000, LONG_WATCH])


def session(port, link):
    """The cookie of a session that the link opens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", link[link.index("/open"):])
    answer = connection.getresponse()
    answer.read()
    cookie = answer.getheader("Set-Cookie")
    if answer.status != 303 or not cookie:
        raise RuntimeError(f"the link is answered {answer.status}")
    return cookie.split(";")[0]


def post(port, cookie, path, body):
    """The bytes of a change by a page."""
    head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nX-Locationd: 1\r\n"
            f"Origin: http://127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def page_flood(place, done, connections, path, body):
    """Requests over so many connections, one after another on each."""
    message = post(place.pages, session(place.pages, place.link()), path, body)
    poll = select.epoll()
    opened = {}

    def open_connection():
        connection = socket.create_connection(("127.0.0.1", place.pages))
        connection.setblocking(False)
        poll.register(connection, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        opened[connection.fileno()] = [connection, message]

    for _ in range(connections):
        open_connection()
    while True:
        for descriptor, _ in poll.poll():
            entry = opened[descriptor]
            try:
                with contextlib.suppress(BlockingIOError):
                    while data := entry[0].recv(1 << 16):
                        done.value += data.count(b"HTTP/1.1 ")
                        entry[1] = entry[1] or message
                    raise OSError
                with contextlib.suppress(BlockingIOError):
                    while entry[1]:
                        entry[1] = entry[1][entry[0].send(entry[1]):]
            except OSError:
                poll.unregister(descriptor)
                opened.pop(descriptor)[0].close()
                with contextlib.suppress(OSError):
                    open_connection()
        if not opened:
            with contextlib.suppress(OSError):
                open_connection()


def page_calls(place, done, connections):
    """Small calls."""
    page_flood(place, done, connections, "/call/org.locationd.location.GetStatus", b"{}")


def page_regions(place, done, connections):
    """Changes of the greatest length."""
    page_flood(place, done, connections, "/regions", BODY)


def bus_properties(place, done, connections):
    """Asks for a property of GeoClue over so many connections to the bus."""
    import gi
    gi.require_version("Gio", "2.0")
    from gi.repository import Gio, GLib

    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    arguments = GLib.Variant("(ss)", ("org.freedesktop.GeoClue2.Manager", "AvailableAccuracyLevel"))

    def ask(connection, _=None):
        connection.call(
            "org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.DBus.Properties", "Get",
            arguments, None, Gio.DBusCallFlags.NONE, 30_000, None, answered)

    def answered(connection, result):
        with contextlib.suppress(GLib.Error):
            connection.call_finish(result)
        done.value += 1
        ask(connection)

    kept = [Gio.DBusConnection.new_for_address_sync(place.bus, flags, None, None) for _ in range(connections)]
    for connection in kept:
        ask(connection)
    GLib.MainLoop().run()


# The restricted users: games, lp and news of every Debian, because a bus refuses users whom the system does not know.
RESTRICTED_USERS = FIRST, SECOND, THIRD = 5, 7, 9
FLOODS = {
    "none": [],
    "toggles": [(watch_toggles, 64, FIRST)],
    "unread": [(unread_answers, 64, FIRST)],
    "lines": [(garbage_lines, 64, FIRST)],
    "calls": [(page_calls, 64, FIRST)],
    "regions": [(page_regions, 60, FIRST)],
    "bus": [(bus_properties, 100, FIRST)],
    "three": [
        (watch_toggles, 32, FIRST), (unread_answers, 32, FIRST), (page_calls, 32, SECOND), (page_regions, 30, SECOND),
        (bus_properties, 100, THIRD)],
}
