"""A scripted gpsd: it sends the JSON that gpsd 3.22 writes at an exact rate, from a loopback TCP port."""

import datetime
import json
import socket
import threading
import time

VERSION = {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14}
DEVICE = {"class": "DEVICE", "path": None, "driver": "NMEA0183", "activated": "2026-01-01T00:00:00.000Z", "flags": 1,
          "native": 0, "bps": 38400, "parity": "N", "stopbits": 1, "cycle": 0.10}
WATCH = {"class": "WATCH", "enable": True, "json": True, "nmea": False, "raw": 0, "scaled": False, "timing": False,
         "split24": False, "pps": False}
SKY = {"class": "SKY", "device": None, "xdop": 0.60, "ydop": 0.64, "vdop": 3.00, "tdop": 0.81, "hdop": 2.00,
       "gdop": 1.81, "pdop": 3.60, "nSat": 10, "uSat": 10,
       "satellites": [{"PRN": prn, "el": 41.0, "az": 10.0 * prn, "ss": 46.0, "used": True, "gnssid": 0, "svid": prn}
                      for prn in (3, 7, 8, 11, 13, 16, 19, 23, 24, 28)]}
FIRST_DAY = datetime.date(2026, 1, 1)


def line(message):
    """One message as gpsd writes it: compact, ended by a line feed."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\r\n"


class Script:
    """The reports of each fix: a SKY with ten satellites and a TPV whose position changes with the fix's number.

    `fields` are added to the TPV. The lines are formatted once, so that a fix costs little to make.
    """

    def __init__(self, device, fields):
        position = line({
            "class": "TPV", "device": device, "mode": 3, "time": "@time", "ept": 0.005, "lat": "@lat", "lon": "@lon",
            "altHAE": 1391.3096, "altMSL": 1345.7200, "alt": 1345.7200, "epx": 25.475, "epy": 25.404, "epv": 80.249,
            "track": 10.3788, "magtrack": 12.7005, "magvar": 2.3, "speed": 10.091, "climb": -0.085, "eps": 50.95,
            "epc": 160.50, "geoidSep": 45.590, "eph": 45.600, "sep": 80.445} | fields)
        self._template = (line(SKY | {"device": device}) + position).replace(b"%", b"%%")
        for mark, form in (b"@time", b'"%sT%02d:%02d:%02d.%03dZ"'), (b"@lat", b"%.9f"), (b"@lon", b"%.9f"):
            self._template = self._template.replace(b'"' + mark + b'"', form)

    def epoch(self, number):
        """The lines of one fix. Its time is a hundredth of a second after that of the fix before."""
        days, hundredths = divmod(number, 8_640_000)
        seconds, hundredths = divmod(hundredths, 100)
        date = (FIRST_DAY + datetime.timedelta(days)).isoformat().encode()
        step = number % 1000
        return self._template % (
            date, seconds // 3600, seconds // 60 % 60, seconds % 60, 10 * hundredths,
            46.498287177 + step * 1e-6, 7.567411672 + step * 1e-6)


class ScriptedGPSD:
    """Serves one client at a time. A thread answers the client's commands; fixes are sent by the caller's thread.

    With `moments`, the moment just before each fix is sent is noted there.
    """

    def __init__(self, device="/dev/ttyACM0", moments=None, **fields):
        self.device = device
        self.moments = moments
        self.script = Script(device, fields)
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
                client.sendall(line(VERSION))
                commands = b""
                while b"?WATCH=" not in commands or not commands.endswith(b"\n"):
                    data = client.recv(4096)
                    if not data:
                        raise ConnectionError("the client left before it sent ?WATCH")
                    commands += data
                client.sendall(line({"class": "DEVICES", "devices": [DEVICE | {"path": self.device}]}) + line(WATCH))
                self._client = client
                self._watching.set()
                while client.recv(4096):
                    pass
            except OSError:
                pass
            self._watching.clear()
            client.close()

    def stream(self, rate, count):
        """Sends `count` fixes, `rate` a second and returns after the last."""
        self._wait_for_client()
        start = time.monotonic()
        for n in range(count):
            following = self.script.epoch(self.produced + 1)
            time.sleep(max(0, start + n / rate - time.monotonic()))
            self._send(following)

    def _wait_for_client(self):
        if not self._watching.wait(15):
            raise TimeoutError("no client watches the scripted gpsd")

    def _send(self, fix):
        self.produced += 1
        if self.moments:
            self.moments.note(self.produced)
        self._client.sendall(fix)
