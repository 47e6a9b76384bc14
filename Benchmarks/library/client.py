"""One client of locationd."""

import json
import select
import socket
import time


def request(method, more=False, **parameters):
    """The bytes of a call."""
    return json.dumps({"method": method, "parameters": parameters, "more": more}).encode() + b"\0"


def watch_request(**parameters):
    """The bytes of a call that opens a watch."""
    return request("org.locationd.location.Watch", more=True, **parameters)


WATCH = watch_request()
STATUS = request("org.locationd.location.GetStatus")


class Client:
    """One connection to the service. It reads only when a method is called that reads."""

    def __init__(self, path):
        """Tries for five seconds while the service does not listen yet."""
        self.socket = socket.socket(socket.AF_UNIX)
        for attempt in range(50):
            try:
                self.socket.connect(path)
                break
            except (ConnectionRefusedError, FileNotFoundError):
                if attempt == 49:
                    raise
                time.sleep(0.1)
        self._incomplete = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def watch(self):
        """Opens a watch and returns the client itself."""
        self.socket.sendall(WATCH)
        return self

    def call(self, method, **parameters):
        """The decoded reply to one call, which may be an error."""
        self.socket.sendall(request(method, **parameters))
        return json.loads(self.receive_first()[:-1])

    def receive(self):
        """Waits for data; the messages that are complete with it, as bytes with their NUL."""
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("the service has closed the connection")
        *complete, self._incomplete = (self._incomplete + data).split(b"\0")
        return [message + b"\0" for message in complete]

    def receive_first(self):
        """Waits for a complete message; those that came with it are discarded."""
        while not (messages := self.receive()):
            pass
        return messages[0]

    def messages(self, seconds):
        """The messages that arrive within so many seconds, as bytes with their NUL."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and select.select([self.socket], [], [], left)[0]:
            try:
                yield from self.receive()
            except EOFError:
                return

    def close(self):
        self.socket.close()
