"""A server of ichnaea's /v1/geolocate on the loopback that knows one place, and counts what it is asked."""

import http.server
import json
import threading

#: Where every access point is.
PLACE = (52.517, 13.389)
ACCURACY = 60


class GeolocationServer:
    """Answers after `delay` seconds, as a server on the network does."""

    def __init__(self, delay=0.0):
        owner = self
        #: The access points that each request named.
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
                owner.requests.append(body.get("wifiAccessPoints", []))
                owner.pause.wait(delay)
                answer = json.dumps({"location": {"lat": PLACE[0], "lng": PLACE[1]}, "accuracy": ACCURACY}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.pause = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"
