"""Servers that receive positions by HTTP, as Traccar (OsmAnd's form) and OwnTracks' Recorder document it. Neither is a
package of Debian or PyPI: what these do is read in their documents and sources, and not measured at the real ones."""

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
    place = float(query["lat"]), float(query["lon"])
    assert place != (0, 0), "Traccar takes that for no position"
    return 200, (int(query["timestamp"]), *place), device


def read_owntracks(target, headers, body, known):
    """The Recorder's /pub: whatever it does with a message, 200."""
    message = json.loads(body)
    if urllib.parse.urlsplit(target).path != "/pub" or message["_type"] != "location":
        return 200, None, None
    device = f'{headers.get("X-Limit-U", "owntracks")}/{headers.get("X-Limit-D", "phone")}'
    return 200, (message["tst"], message["lat"], message["lon"]), device


class Stub(http.server.ThreadingHTTPServer):
    """A server at a free port of the loopback interface. `mode` is what it does to the next requests, None for what
    the real one does: a status with headers; "endless", an answer without an end; "slow", one of a byte a second;
    "silent", no answer; "closed", the connection ends before the report is taken, or "unread", after that."""

    daemon_threads = True

    def __init__(self, read, answer, known=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.read, self.answer, self.known, self.mode = read, answer, known, None
        #: What was taken, in the order of arrival, with what arrived again.
        self.received = []
        #: Requests by the mode in which they came, and the bytes of answers without an end.
        self.requests, self.sent = collections.Counter(), 0
        self.connections = itertools.count()
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def keys(self):
        """Each report once, in the order in which it first arrived."""
        with self.changed:
            return list(dict.fromkeys(report.key for report in self.received))

    def await_reports(self, count, since=None, within=60):
        """Waits until so many more have been taken, with what arrives again; more than now, or than `since`."""
        with self.changed:
            target = (len(self.received) if since is None else since) + count
            assert self.changed.wait_for(lambda: len(self.received) >= target, within), f"not {count} more reports"

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    #: Of a connection that nobody uses; it only ends a test that fails.
    timeout = 600

    def setup(self):
        super().setup()
        self.number = next(self.server.connections)

    def handle(self):
        try:
            super().handle()
        except OSError:
            # The client has gone.
            self.close_connection = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server, mode, status, key = self.server, self.server.mode, 200, None
        if mode != "closed" and mode != "silent" and not isinstance(mode, tuple):
            status, key, device = server.read(self.path, self.headers, body, server.known)
        with server.changed:
            server.requests[str(mode)] += 1
            if key:
                server.received.append(Report(key, device, self.number, time.time()))
            server.changed.notify_all()
        if mode is None:
            self.respond(status, server.answer if status == 200 else b"", {})
        elif isinstance(mode, tuple):
            self.respond(mode[0], b"the stub's words", mode[1])
        elif mode in ("endless", "slow"):
            self.send_response(200)
            self.end_headers()
            # Until the client goes, as after "silent".
            while True:
                server.sent += self.connection.send(b" " if mode == "slow" else b" " * 65536)
                time.sleep(mode == "slow")
        else:
            if mode == "silent":
                self.connection.recv(1)
            self.close_connection = True

    do_GET = do_POST

    def respond(self, status, answer, headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(answer)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)


def traccar(*known):
    return Stub(read_osmand, b"", known)


def recorder():
    return Stub(read_owntracks, b"[\n]\n")
