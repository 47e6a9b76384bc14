"""A gpsd whose receiver speaks at an exact rate: the JSON that gpsd 3.22 writes, from a loopback TCP port."""

import datetime
import json
import socket
import threading
import time

BANNER = {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14}
DEVICE = {"class": "DEVICE", "path": None, "driver": "NMEA0183", "activated": "2026-01-01T00:00:00.000Z", "flags": 1,
          "native": 0, "bps": 38400, "parity": "N", "stopbits": 1, "cycle": 0.10}
WATCH = {"class": "WATCH", "enable": True, "json": True, "nmea": False, "raw": 0, "scaled": False, "timing": False,
         "split24": False, "pps": False}
SKY = {"class": "SKY", "device": None, "xdop": 0.60, "ydop": 0.64, "vdop": 3.00, "tdop": 0.81, "hdop": 2.00,
       "gdop": 1.81, "pdop": 3.60, "nSat": 10, "uSat": 10,
       "satellites": [{"PRN": prn, "el": 41.0, "az": 10.0 * prn, "ss": 46.0, "used": True, "gnssid": 0, "svid": prn}
                      for prn in (3, 7, 8, 11, 13, 16, 19, 23, 24, 28)]}
BEGINNING = datetime.datetime(2026, 1, 1)


def line(message):
    """One message as gpsd writes it: compact, ended by a line feed."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\r\n"


def epoch(number, device, more):
    """The reports of one fix: a view of the sky with ten satellites, and a position that moves with each number.

    `more` is added to the position's fields.
    """
    moment = BEGINNING + datetime.timedelta(milliseconds=10 * number)
    turn = number % 1000
    return line(SKY | {"device": device}) + line({
        "class": "TPV", "device": device, "mode": 3, "time": moment.isoformat(timespec="milliseconds") + "Z",
        "ept": 0.005, "lat": round(46.498287177 + turn * 1e-6, 9), "lon": round(7.567411672 + turn * 1e-6, 9),
        "altHAE": 1391.3096, "altMSL": 1345.7200, "alt": 1345.7200, "epx": 25.475, "epy": 25.404, "epv": 80.249,
        "track": 10.3788, "magtrack": 12.7005, "magvar": 2.3, "speed": 10.091, "climb": -0.085, "eps": 50.95,
        "epc": 160.50, "geoidSep": 45.590, "eph": 45.600, "sep": 80.445} | more)


class ScriptedGPSD:
    """Serves one client at a time, on a thread that greets it; fixes are sent by whoever calls."""

    def __init__(self, device="/dev/ttyACM0", **more):
        self.device = device
        self.more = more
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.produced = 0
        self._watching = threading.Event()
        self._client = None
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            client, _ = self.listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                client.sendall(line(BANNER))
                asked = b""
                while b"?WATCH=" not in asked or not asked.endswith(b"\n"):
                    asked += client.recv(4096) or self._gone()
                client.sendall(line({"class": "DEVICES", "devices": [DEVICE | {"path": self.device}]}) + line(WATCH))
                self._client = client
                self._watching.set()
                while client.recv(4096):
                    pass
            except OSError:
                pass
            self._watching.clear()
            client.close()

    @staticmethod
    def _gone():
        raise ConnectionError("the client left before it asked")

    def burst(self, count):
        """Sends so many fixes back to back."""
        self.stream(0, count)

    def stream(self, rate, count):
        """Sends `count` fixes, `rate` a second (0: all at once), and returns after the last."""
        if not self._watching.wait(15):
            raise TimeoutError("nobody watches the scripted gpsd")
        if not rate:
            self._client.sendall(b"".join(epoch(self.produced + n + 1, self.device, self.more) for n in range(count)))
            self.produced += count
            return
        start = time.monotonic()
        for n in range(count):
            time.sleep(max(0, start + n / rate - time.monotonic()))
            self.produced += 1
            self._client.sendall(epoch(self.produced, self.device, self.more))
