"""Daemons that are started for a recording, and connections to them."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time

from transcript import Transcript

#: Seconds to wait for anything that has to come.
PATIENCE = 30

INTERFACES = {"location": "org.locationd.location", "admin": "org.locationd.admin", "service": "org.varlink.service",
              "places": "org.locationd.places"}


class Failure(Exception):
    """The recording cannot go on; the message says why."""


class Skipped(Exception):
    """The replies would not be those of other machines; the message says why."""


class Daemon:
    """A process that serves sockets in a directory of its own."""

    def __init__(self, command, watched, directory, volatile=()):
        self.command = command
        self.transcript = Transcript(directory, volatile)
        #: The socket by which it is seen that the daemon answers.
        self.watched = watched
        self.directory = directory
        self.log = directory + "/log"
        self.open = []
        #: Whether connections can be listed.
        self.is_administered = watched.endswith("control.sock")
        self.process = self.keeper = None

    def start(self):
        """Returns when it answers."""
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.keeper = Client(self, None, self.watched)
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Failure("%s does not serve %s" % (self.command[0], self.watched)) from None
                time.sleep(0.005)

    def end(self, *clients):
        """Asks it to end, and writes down what it tells the clients."""
        self.process.send_signal(signal.SIGTERM)
        for client in clients:
            while client.read():
                pass
            self.open.remove(client)
        self.stop()

    def stop(self):
        """Ends it in good order; returns when it has."""
        if self.process is None:
            return
        for client in self.open:
            client.read_rest()
        for client in self.open + [self.keeper]:
            client.socket.close()
        self.open.clear()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure("the daemon does not end") from None
        self.process = self.keeper = None
        if code != 0:
            raise Failure("the daemon ended with %d" % code)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def ids(self):
        """The numbers of the connections, without the keeper's own."""
        reply = self.keeper.ask("admin.ListClients")
        return sorted(client["id"] for client in reply["parameters"]["clients"])[1:]

    def settle(self):
        """Returns when the daemon knows of no connection that was closed."""
        deadline = time.monotonic() + PATIENCE
        while len(self.ids()) > len(self.open):
            if time.monotonic() > deadline:
                raise Failure("a closed connection is still there")
            time.sleep(0.001)

    def write(self, name, text, mode=0o644):
        """Makes or replaces a file, which is never read half."""
        path = os.path.join(self.directory, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path + ".new", mode)
        os.rename(path + ".new", path)


@contextlib.contextmanager
def user(uid, gid):
    """The kernel tells the other side of a connection who it was that connected: this user, without further groups."""
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


class Client:
    """A connection; what it says and hears is written down under its name, if it has one.

    Unless `greet` is false the daemon has let it in when the constructor returns, so that numbers are always the same.
    """

    def __init__(self, daemon, name, path="run/locationd.sock", uid=0, gid=None, greet=True):
        self.daemon = daemon
        self.name = name
        self.buffer = b""
        self.id = None
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        try:
            with user(uid, uid if gid is None else gid):
                self.socket.connect(os.path.join(daemon.directory, path))
            if greet:
                self.ask("service.GetInfo")
        except OSError:
            self.socket.close()
            raise
        if greet and name is not None:
            daemon.open.append(self)
            if daemon.is_administered:
                self.id = daemon.ids()[-1]

    def ask(self, method, parameters=""):
        """A call that is not written down."""
        self.socket.sendall(request(method, parameters))
        message = self.message()
        if message is None:
            raise Failure("no answer to " + method)
        return json.loads(message)

    def send(self, raw, shown=None):
        """Sends bytes as they are."""
        if shown is None:
            shown = self.daemon.transcript.plain(raw.removesuffix(b"\0"))
        self.daemon.transcript.add(self.name, ">", shown)
        self.daemon.transcript.requests += max(1, raw.count(b"\0"))
        self.socket.sendall(raw)

    def message(self):
        """The next message without its NUL; `None` at the end of the connection."""
        while b"\0" not in self.buffer:
            try:
                more = self.socket.recv(65536)
            except socket.timeout:
                raise Failure("%s waits in vain for a reply; it has %r" % (self.name, self.buffer)) from None
            if not more:
                return None
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return message

    def read(self, count=1, volatile=()):
        """Writes down so many messages. Returns false at the end of the connection."""
        for _ in range(count):
            message = self.message()
            if message is None:
                self.daemon.transcript.add(self.name, "<", "(end)%s" % (self.buffer or ""))
                return False
            self.daemon.transcript.add(self.name, "<", self.daemon.transcript.plain(message, volatile))
        return True

    def read_until(self, text, volatile=()):
        """Passes over messages, and writes down the first that has the text."""
        while True:
            message = self.message()
            if message is None:
                raise Failure("%s ends before %s" % (self.name, text))
            if text in message:
                self.daemon.transcript.add(self.name, "<", self.daemon.transcript.plain(message, volatile))
                return

    def read_lines(self, count):
        """Writes down so many lines of a socket that has no messages."""
        while self.buffer.count(b"\n") < count:
            more = self.socket.recv(65536)
            if not more:
                raise Failure("%s ends before its lines" % self.name)
            self.buffer += more
        *lines, self.buffer = self.buffer.split(b"\n", count)
        for line in lines:
            self.daemon.transcript.add(self.name, "<", repr(line + b"\n")[2:-1])

    def call(self, method, parameters="", *flags, replies=1):
        self.send(request(method, parameters, *flags))
        self.read(replies)

    def read_rest(self):
        """Writes down what came and was not read."""
        self.daemon.keeper.ask("service.GetInfo")
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while more := self.socket.recv(65536):
                self.buffer += more
        self.socket.settimeout(PATIENCE)
        while b"\0" in self.buffer:
            self.read()

    def close(self):
        """Ends the connection and waits until the daemon knows."""
        self.read_rest()
        self.socket.close()
        self.daemon.open.remove(self)
        if self.daemon.is_administered:
            self.daemon.settle()


def request(method, parameters="", *flags):
    """The bytes of a call.

    The method is one like `admin.Stop`, of `location` if there is no dot; the parameters are their members as they are
    sent; the flags are `more` and `oneway`.
    """
    interface, _, member = method.rpartition(".")
    name = "%s.%s" % (INTERFACES.get(interface or "location", interface), member)
    text = '{"method":"%s","parameters":{%s}%s}' % (name, parameters, "".join(',"%s":true' % flag for flag in flags))
    return text.encode("utf-8", "surrogateescape") + b"\0"
