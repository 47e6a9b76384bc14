"""A wire between the daemon and gpsd that knows when gpsd has granted the daemon's WATCH."""

import asyncio


class Relay:
    """Passes bytes both ways, unchanged, and listens to gpsd's answers."""

    def __init__(self, port):
        self._gpsd, self._server, self._wires = port, None, set()
        #: True once gpsd has said that it sends JSON to the daemon.
        self.is_watching = False
        #: True once the wire on which the daemon watched has ended.
        self.is_broken = False

    async def start(self):
        """Listens on a port of 127.0.0.1, which is returned."""
        self._server = await asyncio.start_server(self._wire, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    async def stop(self):
        self._server.close()
        for wire in self._wires:
            wire.cancel()
        await asyncio.gather(*self._wires, return_exceptions=True)

    async def _wire(self, daemon, to_daemon):
        self._wires.add(asyncio.current_task())
        writers, pumps = [to_daemon], []
        try:
            gpsd, to_gpsd = await asyncio.open_connection("127.0.0.1", self._gpsd)
            writers.append(to_gpsd)
            pumps = [asyncio.create_task(_pump(daemon, to_gpsd)), asyncio.create_task(self._answer(gpsd, to_daemon))]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        except (OSError, asyncio.CancelledError):
            pass  # either the daemon sees its connection end, or the run is over
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for writer in writers:
                writer.close()

    async def _answer(self, gpsd, to_daemon):
        said, is_watching = b"", False
        def listen(data):
            nonlocal said, is_watching
            if not is_watching:
                said += data
                is_watching = any(
                    b'"class":"WATCH"' in line and b'"enable":true' in line and b'"json":true' in line
                    for line in said.split(b"\n")[:-1])
                self.is_watching |= is_watching
        try:
            await _pump(gpsd, to_daemon, listen)
        finally:
            self.is_broken |= is_watching


async def _pump(reader, writer, listen=lambda data: None):
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
        listen(data)
