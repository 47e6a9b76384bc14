"""One client of locationd."""

import json
import select
import socket
import time

WATCH = b'{"method":"org.locationd.location.Watch","parameters":{},"more":true}\0'


def request(method, more=False, **parameters):
    """A call as it goes over the wire."""
    return json.dumps({"method": method, "parameters": parameters, "more": more}).encode() + b"\0"


class Client:
    """One connection, with a watch if asked. Nothing is read unless asked."""

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

    def call(self, method, **parameters):
        """The reply to one call, decoded, whatever it says."""
        self.socket.sendall(request(method, **parameters))
        while not (replies := self.received()):
            pass
        return json.loads(replies[0][:-1])

    def messages(self, seconds):
        """The messages that come within so many seconds, as bytes with their NUL."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and select.select([self.socket], [], [], left)[0]:
            try:
                yield from self.received()
            except EOFError:
                return

    def received(self):
        """The messages that have come, once there is anything, as bytes with their NUL."""
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("the service has closed the connection")
        *whole, self.rest = (self.rest + data).split(b"\0")
        return [message + b"\0" for message in whole]

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
