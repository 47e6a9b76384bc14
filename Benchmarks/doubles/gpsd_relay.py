"""Stands between gpsd and the daemon, and may add to what gpsd says or take its time over it."""

import socket
import threading


class Relay:
    def __init__(self, port):
        self.upstream = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        #: Whether each byte goes by itself.
        self.is_bytewise = False
        self._lock = threading.Lock()
        self._client = None
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            gpsd = socket.create_connection(("127.0.0.1", self.upstream))
            with self._lock:
                self._client = client
            threading.Thread(target=self._ask, args=(client, gpsd), daemon=True).start()
            threading.Thread(target=self._tell, args=(gpsd, client), daemon=True).start()

    @staticmethod
    def _ask(client, gpsd):
        try:
            while data := client.recv(4096):
                gpsd.sendall(data)
        except OSError:
            pass
        gpsd.close()

    def _tell(self, gpsd, client):
        """Passes on whole lines, so that what is added stands between two."""
        rest = b""
        try:
            while data := gpsd.recv(65536):
                whole, newline, rest = (rest + data).rpartition(b"\n")
                with self._lock:
                    self._pass(client, whole + newline)
        except OSError:
            pass
        client.close()

    def _pass(self, client, data):
        if not self.is_bytewise:
            return client.sendall(data)
        for place in range(len(data)):
            client.sendall(data[place:place + 1])

    def add(self, data):
        """Says something in gpsd's name."""
        with self._lock:
            self._client.sendall(data)

    def close(self):
        self.listener.close()
