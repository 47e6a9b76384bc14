"""Servers that receive positions by HTTP, as Traccar (OsmAnd's form) and OwnTracks' Recorder document it. Neither is a package of Debian or
PyPI, so what these do is read in their documents and sources, and not measured at the real ones."""

import collections
import http.server
import itertools
import json
import threading
import time
import urllib.parse

Report = collections.namedtuple("Report", "key device connection arrival")


def read_osmand(target, headers, body, known):
    """Traccar's port 5055: a status, and of 200 the time, latitude and longitude, and the device."""
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(target).query or body.decode()))
    device = query.get("id", query.get("deviceid"))
    if device not in known:
        return 400, None, None
    for name in ("speed", "bearing", "altitude", "accuracy", "batt"):
        float(query.get(name, 0))
    seconds = float(query["timestamp"])
    place = float(query["lat"]), float(query["lon"])
    assert place != (0, 0), "Traccar takes that for no position"
    return 200, (seconds if seconds < 2**31 else seconds / 1000, *place), device


def read_owntracks(target, headers, body, known):
    """The Recorder's /pub: whatever it does with a message, 200."""
    message = json.loads(body)
    device = f'{headers.get("X-Limit-U", "owntracks")}/{headers.get("X-Limit-D", "phone")}'
    if urllib.parse.urlsplit(target).path != "/pub" or message["_type"] != "location":
        return 200, None, None
    return 200, (message["tst"], message["lat"], message["lon"]), device


class Stub(http.server.ThreadingHTTPServer):
    """A server at a free port of the loopback interface. `mode` is what it does to the next requests, None for what the real one does:
    a status with headers; "endless", an answer without an end; "slow", one of a byte a second; "silent", no answer; "closed", the
    connection ends before the report is taken, or "unread", after that."""

    daemon_threads = True

    def __init__(self, read, answer, known=(), port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.read, self.answer, self.known = read, answer, known
        self.mode = None
        #: What was taken, in the order of arrival, with what arrived again.
        self.received = []
        #: Requests of all kinds, by the mode in which they came; the authorizations among them; bytes that were sent without an end.
        self.requests, self.authorizations, self.sent = collections.Counter(), set(), 0
        self.connections = itertools.count()
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def keys(self):
        """Each report once, in the order in which it first arrived."""
        with self.changed:
            return list(dict.fromkeys(report.key for report in self.received))

    def await_reports(self, count, within):
        """Waits until so many have been taken, with what arrived again."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.received) >= count, within), f"{len(self.received)} of {count} reports in {within} s"

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    #: The end of a connection that nobody uses, which only ends a test that fails.
    timeout = 600

    def setup(self):
        super().setup()
        self.number = next(self.server.connections)

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server, mode = self.server, self.server.mode
        server.authorizations.add(self.headers.get("Authorization"))
        key = None
        if mode in (None, "unread", "endless", "slow"):
            try:
                status, key, device = server.read(self.path, self.headers, body, server.known)
            except (AssertionError, KeyError, ValueError) as error:
                status, server.answer = 500, f"{type(error).__name__}: {error} {self.path} {body}".encode()
        with server.changed:
            server.requests[str(mode)] += 1
            if key:
                server.received.append(Report(key, device, self.number, time.time()))
            server.changed.notify_all()
        if isinstance(mode, tuple):
            self.respond(mode[0], b"the stub's words", mode[1])
        elif mode in ("endless", "slow"):
            self.send_response(200)
            self.end_headers()
            piece = b" " if mode == "slow" else b" " * 65536
            # Until the client goes, as after "silent".
            while True:
                server.sent += self.connection.send(piece)
                time.sleep(mode == "slow")
        elif mode in ("silent", "closed", "unread"):
            if mode == "silent":
                self.connection.recv(1)
            self.close_connection = True
        else:
            self.respond(status, server.answer if status != 400 else b"", {})

    do_GET = do_POST

    def respond(self, status, answer, headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(answer)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def handle(self):
        try:
            super().handle()
        except OSError:
            # The client has gone.
            self.close_connection = True


def traccar(*known, **options):
    return Stub(read_osmand, b"", known, **options)


def recorder(**options):
    return Stub(read_owntracks, b"[\n]\n", **options)
