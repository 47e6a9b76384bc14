"""A machine with the built programs: the daemon, the track history, the pages, and programs of other users."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from maps import write_map

#: A drive that the simulator invents.
DRIVE = '[[sources]]\nkind = "simulator"\nname = "drive"\nlatitude = 52.517\nlongitude = 13.3889\n'
#: The Eiffel tower.
TOWER = ('[[sources]]\nkind = "static"\nname = "tower"\nlatitude = 48.8584\nlongitude = 2.2945\naltitude = 35\n'
         'horizontal-accuracy = 10\n')
#: Users whom no system has.
ANNA, BORIS = 59001, 59002
#: A patience that only ends a test that fails.
PATIENCE = 30


class Machine:
    """Everything in a temporary directory; what it has started ends with it."""

    def __init__(self, binaries, pages=None, sources=DRIVE, web="", history=False, maps=None, borders="/nonexistent", places=False,
                 database=".build/geodata/places.sqlite", environment=None, fleet="/nonexistent", host=None, nearby=False, policy=None):
        self.binaries = pathlib.Path(binaries)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="locationd-web-"))
        self.directory.chmod(0o755)
        self.pages = pages
        self.environment = environment or {}
        self.processes = {}
        self.clients = []
        self.last_logs = ""
        self.port = None
        #: By which a proxy has the pages, at the socket web-http.sock; none for a port of the service's own.
        self.host = host
        # For root alone: a file that says where the machine is shall be read by nobody else.
        self.write("locationd.toml", f'[service]\nlog-level = "warning"\n{sources}')
        if policy:
            self.write("policy.toml", policy)
        sockets = f'history = "{self.directory}/history.sock"\nplaces = "{self.directory}/places.sock"\n' \
                  f'fleet = "{fleet}"\nnearby = "{self.directory}/nearby.sock"\n'
        folder = self.directory / "maps"
        folder.mkdir()
        for name, colour in (maps or {}).items():
            write_map(folder / f"{name}.mbtiles", colour)
        self.write("web.toml", f'[service]\nlog-level = "warning"\n{sockets}[map]\nfolder = "{folder}"\n'
                   f'borders = "{pathlib.Path(borders).resolve()}"\n{web}'
                   + (f'[site]\nhost = "{host}"\n' if host else ""))
        self.listeners = [self.listen(name) for name in ("web.sock", "web-control.sock", *(["web-http.sock"] if host else []))]
        try:
            self.start_daemon()
            if history:
                self.start_history()
            if places:
                self.start_places(database)
            if nearby:
                self.start_nearby()
            self.start_web()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def control(self):
        return f"{self.directory}/run/control.sock"

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def write(self, name, content):
        path = self.directory / name
        path.write_text(content)
        path.chmod(0o600)

    def listen(self, name):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{self.directory}/{name}")
        os.chmod(f"{self.directory}/{name}", 0o600 if name == "web-control.sock" else 0o666)
        listener.listen(16)
        return listener

    # Programs

    def start_daemon(self, *flags):
        self.spawn("locationd", "--config", f"{self.directory}/locationd.toml", "--runtime-directory",
                   f"{self.directory}/run", "--state-directory", f"{self.directory}/state", *flags)
        # The socket is there before the daemon listens: until it answers, nothing can be reached (3).
        eventually("the daemon answers", lambda: self.locctl("status", "--passive", check=False).returncode != 3)

    def start_history(self):
        self.spawn("locationd-history", "--daemon", self.control, "--file", f"{self.directory}/track.gpkg",
                   "--socket", f"{self.directory}/history.sock", "--include-simulated")
        eventually("the history listens", lambda: os.path.exists(f"{self.directory}/history.sock"))

    def start_places(self, database):
        self.write("places.toml", f'[service]\ndatabase = "{pathlib.Path(database).resolve()}"\n')
        self.spawn("locationd-places", "--config", f"{self.directory}/places.toml", "--socket", f"{self.directory}/places.sock")
        eventually("the places are there", lambda: os.path.exists(f"{self.directory}/places.sock"))

    def start_nearby(self):
        """What the radios receive is written into `observations`."""
        for name in ("observations", "nearby.toml"):
            self.write(name, "")
        flags = {"config": "nearby.toml", "daemon": "run/locationd.sock", "observations": "observations", "socket": "provider.sock",
                 "control": "nearby.sock", "store": "nearby.sqlite", "key": "nearby.key"}
        self.spawn("locationd-nearby", *(part for flag, name in flags.items() for part in (f"--{flag}", f"{self.directory}/{name}")))
        eventually("places are learned", lambda: os.path.exists(f"{self.directory}/nearby.sock"))

    def start_web(self):
        """The pages, with the sockets for links that systemd would pass; at the same port when they start again."""
        if self.port is None:
            with socket.create_server(("127.0.0.1", 0)) as probe:
                self.port = probe.getsockname()[1]
        flags = ["--config", f"{self.directory}/web.toml", "--daemon", self.control]
        if not self.host:
            flags += ["--listen", f"127.0.0.1:{self.port}"]
        if self.pages:
            flags += ["--pages", self.pages]
        self.spawn("locationd-web", *flags, listeners=self.listeners)
        # A socket that is passed takes connections from the beginning.
        if not self.host:
            eventually("the pages are served", lambda: connects(self.port))

    def spawn(self, name, *arguments, listeners=()):
        command = [str(self.binaries / name), *arguments]
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **self.environment}

        def pass_listeners():
            # systemd's protocol: descriptors from 3 on. They are first moved out of each other's way.
            moved = [os.dup2(listener.fileno(), 100 + index) for index, listener in enumerate(listeners)]
            for index, descriptor in enumerate(moved):
                os.dup2(descriptor, 3 + index)
                os.close(descriptor)

        if listeners:
            environment |= {"LISTEN_FDS": str(len(listeners)), "LISTEN_FDNAMES": ":".join(["link", "control", "http-unix"][:len(listeners)])}
            command = ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", *command]
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                preexec_fn=pass_listeners if listeners else None, close_fds=not listeners)

    def kill(self, name, with_signal=signal.SIGKILL):
        process = self.processes.pop(name)
        process.send_signal(with_signal)
        process.wait(PATIENCE)

    def close(self):
        for client in self.clients:
            client.kill()
            client.wait()
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for listener in self.listeners:
            listener.close()
        self.last_logs = self.logs()
        shutil.rmtree(self.directory, ignore_errors=True)

    def logs(self):
        return "\n".join(f"{path.name}: {path.read_text(errors='replace')[-2000:]}"
                         for path in self.directory.glob("*.log") if path.stat().st_size)

    # What people and programs do

    def locctl(self, *arguments, uid=0, check=True):
        command = [str(self.binaries / "locctl"), *arguments]
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "LOCATIOND_SOCKET":
                       self.control if uid == 0 else f"{self.directory}/run/locationd.sock"}
        return subprocess.run([*become(uid), *command], env=environment, capture_output=True, text=True, check=check,
                              timeout=PATIENCE)

    def link(self, uid=0):
        """What `locctl web` prints to that user."""
        name = "web-control.sock" if uid == 0 else "web.sock"
        printed = self.locctl("web", "--print", "--web-socket", f"{self.directory}/{name}", uid=uid).stdout
        base = f"https://{self.host}/open#" if self.host else f"http://127.0.0.1:{self.port}/open?token="
        return re.fullmatch(rf"({re.escape(base)}\w+)\n", printed)[1]

    def desktop_file(self, uid):
        """The file that `locctl web` hands to the desktop of that user."""
        for name in ("runtime", "bin"):
            (self.directory / name).mkdir(exist_ok=True)
        (self.directory / "runtime").chmod(0o700)
        os.chown(self.directory / "runtime", uid, uid)
        opener = self.directory / "bin/xdg-open"
        opener.write_text('#!/bin/sh\nprintf "opened %s\\n" "$*"\n')
        opener.chmod(0o755)
        terminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))"
        printed = subprocess.run(
            [*become(uid), sys.executable, "-c", terminal, self.binaries / "locctl", "web", "--web-socket", self.directory / "web.sock"],
            env={"PATH": f"{self.directory}/bin:/usr/bin:/bin", "DISPLAY": ":99", "XDG_RUNTIME_DIR": f"{self.directory}/runtime"},
            capture_output=True, text=True, check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL).stdout
        return pathlib.Path(re.search(r"^opened (\S+)\r?$", printed, re.MULTILINE)[1])

    def relay(self, uid):
        """The port at which a process of that user makes connections for others (SOCKS 5)."""
        process = subprocess.Popen([*become(uid), sys.executable, "-c", RELAY], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.clients.append(process)
        return int(process.stdout.readline())

    def client(self, uid, method, parameters):
        """A program of that user that makes one call of org.locationd.location and stays connected."""
        process = subprocess.Popen(
            [*become(uid), sys.executable, "-c", CLIENT, f"{self.directory}/run/locationd.sock", method, json.dumps(parameters)],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.clients.append(process)
        process.stdout.readline()
        return process


#: Prints a line when the first reply has come, and ends when the daemon closes the connection.
CLIENT = """
import json, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
call = {"method": "org.locationd.location." + sys.argv[2], "parameters": json.loads(sys.argv[3]), "more": True}
connection.sendall(json.dumps(call).encode() + b"\\0")
print(len(connection.recv(65536)), flush=True)
while connection.recv(65536):
    pass
"""


#: SOCKS 5 (RFC 1928) for addresses of this machine; it prints its port.
RELAY = """
import asyncio

async def copy(source, target):
    try:
        while part := await source.read(65536):
            target.write(part)
            await target.drain()
    except OSError:
        pass
    finally:
        target.close()

async def serve(reader, writer):
    try:
        [_, count] = await reader.readexactly(2)
        await reader.readexactly(count)
        writer.write(bytes([5, 0]))
        [_, _, _, kind] = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = {1: "127.0.0.1", 4: "::1"}[kind]
            await reader.readexactly({1: 4, 4: 16}[kind])
        port = int.from_bytes(await reader.readexactly(2), "big")
        source, target = await asyncio.open_connection(host, port)
    except (OSError, asyncio.IncompleteReadError):
        writer.close()
        return
    writer.write(bytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
    await asyncio.gather(copy(reader, target), copy(source, writer))

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def become(uid):
    return [] if uid == 0 else ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]


def connects(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def eventually(what, condition):
    """Waits until the condition holds. The pauses only spare the processor; the time-out only ends a test that fails."""
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE} s"
        time.sleep(0.02)
    return result
