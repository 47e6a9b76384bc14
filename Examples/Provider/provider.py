#!/usr/bin/env python3
"""A provider of positions for locationd in 30 lines: provider.py SOCKET LATITUDE LONGITUDE ACCURACY

In locationd.toml, with the number or name of the user who runs this:

    [[sources]]
    kind = "provider"
    socket = "SOCKET"
    user = "me"
"""
import json
import os
import socketserver
import sys
import time

PATH, LATITUDE, LONGITUDE, ACCURACY = sys.argv[1], *map(float, sys.argv[2:5])


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        call = bytearray()
        while not call.endswith(b"\0"):
            call += self.rfile.read(1) or sys.exit()
        if json.loads(call[:-1])["method"] != "org.locationd.provider.Locate":
            return self.send({"error": "org.varlink.service.MethodNotFound", "parameters": {}})
        try:
            while True:
                position = {"latitude": LATITUDE, "longitude": LONGITUDE, "horizontalAccuracy": ACCURACY}
                self.send({"continues": True, "parameters": {"position": position}})
                time.sleep(1)
        except OSError:
            pass  # The daemon needs no positions any more.

    def send(self, message):
        self.wfile.write(json.dumps(message).encode() + b"\0")


if os.path.exists(PATH):
    os.remove(PATH)
with socketserver.ThreadingUnixStreamServer(PATH, Connection) as server:
    os.chmod(PATH, 0o666)
    server.serve_forever()
