"""The clients with the real daemon on its simulator.

`LOCATIOND_TEST_DAEMON` and `LOCCTL` are the paths of the programs; without them these tests are skipped.
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable

from locationd import (
    AsyncClient,
    Authorization,
    Client,
    Coordinate,
    InvalidParameter,
    Location,
    LocationdError,
    NoSuchMonitor,
    NotAuthorized,
    Region,
    RegionReport,
    Satellites,
    SourceState,
    Status,
    Unreachable,
)

from .scripted import PATIENCE

DAEMON = os.environ.get("LOCATIOND_TEST_DAEMON")
LOCCTL = os.environ.get("LOCCTL")
OTHER_USER = 12345

EUROPE = Region("Europe", center=Coordinate(50.0, 10.0), radius=4_000_000)


@unittest.skipUnless(DAEMON and LOCCTL, "LOCATIOND_TEST_DAEMON and LOCCTL do not name the programs")
class RunningDaemon(unittest.TestCase):
    """The daemon on its simulator, in a directory of its own."""

    def setUp(self) -> None:
        self.directory = tempfile.mkdtemp()
        os.chmod(self.directory, 0o755)
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.path = os.path.join(self.directory, "run", "locationd.sock")
        self.process: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.stop)
        self.start()
        self.client = Client(self.path)
        self.addCleanup(self.client.close)

    def start(self) -> None:
        """Returns when the daemon answers."""
        assert DAEMON is not None
        arguments = ["--simulate", "--runtime-directory", "run", "--state-directory", "state", "--log-level", "error"]
        self.process = subprocess.Popen([DAEMON, *arguments], cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                Client(self.path).status()
                return
            except Unreachable:
                self.assertIsNone(self.process.poll(), "the daemon has ended")
                self.assertLess(time.monotonic(), deadline)
                # Nothing tells when it answers but its answer.
                time.sleep(0.05)

    def stop(self, kill: bool = False) -> None:
        if self.process is not None:
            self.process.kill() if kill else self.process.terminate()
            self.process.wait(PATIENCE)
            self.process = None

    def locctl(self, *arguments: str) -> None:
        assert LOCCTL is not None
        environment = os.environ | {"LOCATIOND_SOCKET": os.path.join(self.directory, "run", "control.sock")}
        subprocess.run([LOCCTL, *arguments], env=environment, check=True, capture_output=True, timeout=PATIENCE)

    def as_other_user(self, function: Callable[[], object]) -> int:
        """Runs a function in a process of another user; the result is its exit code, 0 if it returns."""
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.setgroups([])
                os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
                os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)
                function()
                code = 0
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class DaemonTests(RunningDaemon):
    def test_status_get_and_receivers(self) -> None:
        status = self.client.status()
        self.assertIs(status.authorization, Authorization.AUTHORIZED_ALWAYS)
        location = self.client.get(timeout=20)
        self.assertTrue(location.source.is_simulated)
        self.assertGreaterEqual(location.age(), 0)
        self.assertLess(location.age(), PATIENCE)
        self.assertEqual([receiver.source for receiver in self.client.receivers()], [location.source.name])
        with self.assertRaises(InvalidParameter) as raised:
            self.client.get(timeout=-1)
        self.assertEqual(raised.exception.parameter, "timeout")

    def test_watch_with_satellites_ends_with_its_number(self) -> None:
        updates = list(self.client.watch(maximum_updates=2, satellites=True, heading=True, purpose="test"))
        sequences = [update.sequence for update in updates if isinstance(update, Location)]
        self.assertEqual(len(sequences), 2)
        self.assertEqual(sequences, sorted(set(sequences)))
        self.assertTrue(any(isinstance(update, Satellites) and len(update) > 0 for update in updates))

    def restart(self, kill: bool) -> None:
        with self.client.watch() as watch:
            before = next(update for update in watch if isinstance(update, Location))
            self.stop(kill)
            states = []
            for update in watch:
                if isinstance(update, Status):
                    states.append(update)
                    if not update.connected:
                        break
            self.assertEqual(any(state.reason == "stopping" for state in states), not kill)
            self.assertIs(states[-1].authorization, Authorization.AUTHORIZED_ALWAYS)
            self.start()
            after = next(update for update in watch if isinstance(update, Location))
            self.assertGreater(after.sequence, before.sequence)

    def test_watch_outlives_a_daemon_that_is_stopped(self) -> None:
        self.restart(kill=False)

    def test_watch_outlives_a_daemon_that_is_killed(self) -> None:
        self.restart(kill=True)

    def test_other_user_is_told_and_gets_locations_when_authorized(self) -> None:
        def refused() -> None:
            with Client(self.path) as client:
                try:
                    client.get()
                except NotAuthorized as error:
                    assert error.authorization is Authorization.NOT_DETERMINED and error.reason
                    state = client.request_authorization(wait=False, purpose="test", program="tests")
                    assert state.authorization_pending
                    return
                raise AssertionError

        def allowed() -> None:
            with Client(self.path) as client:
                assert client.request_authorization(level="always").authorization is Authorization.AUTHORIZED_ALWAYS
                assert isinstance(client.get(timeout=20), Location)

        self.assertEqual(self.as_other_user(refused), 0)
        self.locctl("authorize", f"uid:{OTHER_USER}")
        self.assertEqual(self.as_other_user(allowed), 0)

    def test_regions_of_a_named_monitor(self) -> None:
        with self.client.regions(name="test", regions=[EUROPE]) as monitor:
            report = next(update for update in monitor if isinstance(update, RegionReport) and update.location is not None)
            self.assertEqual((report.identifier, report.state), ("Europe", "inside"))
            (information,) = self.client.monitors()
            self.assertEqual((information.name, information.active), ("test", True))
            self.client.change_regions("test", add=[Region("Asia", center=Coordinate(50.0, 100.0), radius=1000)])
            report = next(update for update in monitor if isinstance(update, RegionReport) and update.identifier == "Asia")
            self.assertIn(report.state, ("outside", "unknown"))
            self.stop()
            self.start()
            # It is loaded, with the region that was added meanwhile.
            identifiers: set[str] = set()
            while identifiers != {"Europe", "Asia"}:
                update = next(monitor)
                if isinstance(update, RegionReport):
                    identifiers.add(update.identifier)
            self.client.remove_monitor("test")
            with self.assertRaises(NoSuchMonitor):
                for _ in monitor:
                    pass
        self.assertEqual(self.client.monitors(), [])

    def test_asynchronous_client(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.path) as client:
                location, status = await asyncio.gather(client.get(timeout=20), client.status())
                self.assertIsInstance(location, Location)
                self.assertIsInstance(status.source, SourceState)
                async with client.watch(maximum_updates=1) as watch:
                    self.assertEqual(sum([isinstance(update, Location) async for update in watch]), 1)
                with self.assertRaises(LocationdError):
                    await client.remove_monitor("none")

        asyncio.run(main())
