"""One client of locationd."""

import json
import select
import socket
import time

WATCH = b'{"method":"org.locationd.location.Watch","parameters":{},"more":true}\0'


class Client:
    """One watch. Nothing is read unless asked."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        for attempt in range(50):
            try:
                self.socket.connect(path)
                break
            except (ConnectionRefusedError, FileNotFoundError):
                if attempt == 49:
                    raise
                time.sleep(0.1)
        self.rest = b""

    def watch(self):
        self.socket.sendall(WATCH)
        return self

    def messages(self, seconds):
        """The messages that come within so many seconds, as bytes with their NUL."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and select.select([self.socket], [], [], left)[0]:
            data = self.socket.recv(1 << 20)
            if not data:
                return
            *whole, self.rest = (self.rest + data).split(b"\0")
            yield from (message + b"\0" for message in whole)

    def locations(self, seconds):
        """The same, decoded: (location, dropped) of each message with a location."""
        for message in self.messages(seconds):
            parameters = json.loads(message[:-1])["parameters"]
            if "location" in parameters:
                yield parameters["location"], parameters.get("dropped", 0)

    def is_let_go(self):
        """True once the other side has closed, whatever is unread."""
        poll = select.poll()
        poll.register(self.socket, select.POLLRDHUP)
        return bool(poll.poll(0))

    def close(self):
        self.socket.close()
