"""A relay between gpsd and the daemon that can add to gpsd's output or split it into single bytes."""

import socket
import threading


class GPSDRelay:
    """Serves any number of clients, each with a connection of its own to gpsd."""

    def __init__(self, gpsd_port):
        self.gpsd_port = gpsd_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        # Whether each byte is sent by itself.
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
            gpsd = socket.create_connection(("127.0.0.1", self.gpsd_port))
            with self._lock:
                self._client = client
            threading.Thread(target=self._forward_commands, args=(client, gpsd), daemon=True).start()
            threading.Thread(target=self._forward_reports, args=(gpsd, client), daemon=True).start()

    @staticmethod
    def _forward_commands(client, gpsd):
        try:
            while data := client.recv(4096):
                gpsd.sendall(data)
        except OSError:
            pass
        gpsd.close()

    def _forward_reports(self, gpsd, client):
        """Forwards whole lines, so that inserted data lies between two of them."""
        incomplete = b""
        try:
            while data := gpsd.recv(65536):
                lines, newline, incomplete = (incomplete + data).rpartition(b"\n")
                with self._lock:
                    self._send(client, lines + newline)
        except OSError:
            pass
        client.close()

    def _send(self, client, data):
        if not self.is_bytewise:
            return client.sendall(data)
        for index in range(len(data)):
            client.sendall(data[index:index + 1])

    def insert(self, data):
        """Sends data to the newest client as if gpsd had sent it."""
        with self._lock:
            self._client.sendall(data)

    def close(self):
        self.listener.close()
