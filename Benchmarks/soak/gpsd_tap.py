"""A tap between gpsd and the daemon: it sees each line that gpsd sends, which is what the watches have to receive."""

import select
import socket
import struct
import threading
import time

# How often the thread checks for changes by its caller, seconds.
INTERVAL = 0.02


class GPSDTap(threading.Thread):
    """Forwards what gpsd and the daemon send to each other. `on_line` is called with each line of gpsd's before the daemon
    gets it.

    It serves one connection at a time, since the daemon makes one, and refuses connections while `is_open` is false.
    """

    def __init__(self, gpsd_port, on_line):
        super().__init__(daemon=True)
        self.gpsd_port = gpsd_port
        self.on_line = on_line
        self.is_open = True
        # Set to reset the present connection.
        self.is_to_cut = False
        # Data for the daemon that gpsd has not sent, forwarded once between two of its lines.
        self.insertion = b""
        # When the daemon closed the connection, and when gpsd had last sent something, CLOCK_MONOTONIC.
        self.disconnects = []
        self.last_received = 0.0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            if not self.is_open:
                self.listener.close()
                while not self.is_open:
                    time.sleep(INTERVAL)
                self.listener = socket.create_server(("127.0.0.1", self.port))
            if not select.select([self.listener], [], [], INTERVAL)[0]:
                continue
            daemon, _ = self.listener.accept()
            daemon.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with daemon, socket.socket() as gpsd:
                if gpsd.connect_ex(("127.0.0.1", self.gpsd_port)) == 0:
                    self.is_to_cut = False
                    self.forward(daemon, gpsd)

    def forward(self, daemon, gpsd):
        """Returns when one of the two has closed its connection, or after the connection was cut."""
        incomplete = b""
        try:
            while not self.is_to_cut:
                ready, _, _ = select.select([daemon, gpsd], [], [], INTERVAL)
                if daemon in ready:
                    if not (data := daemon.recv(4096)):
                        self.disconnects.append((time.monotonic(), self.last_received))
                        return
                    gpsd.sendall(data)
                if gpsd in ready:
                    if not (data := gpsd.recv(1 << 16)):
                        return
                    *lines, incomplete = (incomplete + data).split(b"\n")
                    self.last_received = time.monotonic()
                    for line in lines:
                        self.on_line(line)
                    daemon.sendall(b"".join(line + b"\n" for line in lines))
                daemon.sendall(self.insertion)
                self.insertion = b""
        except ConnectionError:
            self.disconnects.append((time.monotonic(), self.last_received))
            return
        # Closing with a reset loses the data in transit.
        daemon.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
