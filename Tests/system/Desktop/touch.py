"""A finger on Phosh's screen, as a program of the session: a pointer by Wayland's protocol wlr-virtual-pointer.

    touch.py WIDTH HEIGHT        how large the screen is

Touches the point of each line that it reads, as `X Y`, and prints a line when the compositor has read that. It is there
for the whole of a session, because programs need a moment to notice that there is a pointer.
"""

import os
import socket
import struct
import sys
import time

MANAGER = "zwlr_virtual_pointer_manager_v1"
#: The objects of this connection, in the order in which they are made. A number is free again when `DONE` has come.
DISPLAY, REGISTRY, DONE, POINTERS, POINTER = 1, 2, 3, 4, 5
BUTTON_LEFT = 0x110


def main():
    width, height = map(int, sys.argv[1:])
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], os.environ["WAYLAND_DISPLAY"]))
    send(connection, DISPLAY, 1, REGISTRY)
    names = synchronize(connection)
    send(connection, REGISTRY, 0, names[MANAGER], MANAGER, 1, POINTERS)
    send(connection, POINTERS, 0, 0, POINTER)
    for line in sys.stdin:
        x, y = map(int, line.split())
        # A pointer that has not moved is not above anything.
        for step in (1, 0):
            send(connection, POINTER, 1, now(), x, y - step, width, height)
            send(connection, POINTER, 4)
        for state in (1, 0):
            send(connection, POINTER, 2, now(), BUTTON_LEFT, state)
            send(connection, POINTER, 4)
        synchronize(connection)
        print("touched", flush=True)


def now():
    return int(time.monotonic() * 1000)


def send(connection, thing, request, *arguments):
    body = b""
    for argument in arguments:
        if isinstance(argument, str):
            text = argument.encode() + b"\0"
            body += struct.pack("I", len(text)) + text + b"\0" * (-len(text) % 4)
        else:
            body += struct.pack("I", argument)
    connection.sendall(struct.pack("II", thing, len(body) + 8 << 16 | request) + body)


def synchronize(connection):
    """Waits until the compositor has read all; gives the globals that it names meanwhile, each with its number."""
    send(connection, DISPLAY, 0, DONE)
    said, names = b"", {}
    while True:
        while len(said) < 8 or len(said) < struct.unpack_from("II", said)[1] >> 16:
            more = connection.recv(65536)
            if not more:
                sys.exit("the compositor has gone")
            said += more
        thing, head = struct.unpack_from("II", said)
        event, said = said[8:head >> 16], said[head >> 16:]
        if thing == DONE:
            return names
        if thing == REGISTRY and head & 0xFFFF == 0:
            name, length = struct.unpack_from("II", event)
            names[event[8:8 + length - 1].decode()] = name


main()
