"""What the clients refuse by themselves, and where they look for the daemon."""

import os
import unittest
from unittest import mock

import locationd
from locationd.transport import explain


class PathTests(unittest.TestCase):
    def test_path_that_no_socket_can_have_is_refused(self) -> None:
        for path, text in (("/tmp/a\0b", "NUL"), ("/" + "x" * 107, "108 bytes"), ("", "empty")):
            for client in (locationd.Client, locationd.AsyncClient):
                with self.assertRaisesRegex(ValueError, text):
                    client(path)
        self.assertEqual(locationd.Client("/" + "x" * 106).socket_path, "/" + "x" * 106)

    def test_path_may_be_bytes(self) -> None:
        for client in (locationd.Client, locationd.AsyncClient):
            self.assertEqual(client(b"/run/\xff").socket_path, os.fsdecode(b"/run/\xff"))

    def test_path_comes_from_the_environment(self) -> None:
        with mock.patch.dict(os.environ, LOCATIOND_SOCKET="/run/other"):
            self.assertEqual(locationd.Client().socket_path, "/run/other")
            self.assertEqual(locationd.Client("/run/mine").socket_path, "/run/mine")
        with mock.patch.dict(os.environ):
            os.environ.pop("LOCATIOND_SOCKET", None)
            self.assertEqual(locationd.Client().socket_path, "/run/locationd/locationd.sock")

    def test_maximum_updates_that_is_no_integer_is_refused_at_the_call(self) -> None:
        for client in (locationd.Client("/nowhere"), locationd.AsyncClient("/nowhere")):
            for maximum in (2.0, True, "2"):
                with self.assertRaisesRegex(TypeError, "maximum_updates has to be an int"):
                    client.watch(maximum_updates=maximum)  # type: ignore[arg-type]

    def test_closed_client_is_the_programs_mistake(self) -> None:
        client = locationd.Client("/nowhere")
        client.close()
        for call in (client.status, client.watch, client.regions):
            with self.assertRaisesRegex(RuntimeError, "the client is closed"):
                call()

    def test_sentences_say_what_to_start(self) -> None:
        for error, command in (
            (FileNotFoundError(), "`sudo systemctl start locationd.socket`"),
            (NotADirectoryError(), "`sudo systemctl start locationd.socket`"),
            (ConnectionRefusedError(), "`sudo systemctl start locationd`"),
        ):
            self.assertIn(command, explain("/run/x", error))

    def test_numbers_that_are_not_finite_are_refused_before_a_connection_is_made(self) -> None:
        client = locationd.Client("/nowhere")
        for number in (10**400, 1 << 63, -(1 << 63) - 1):
            with self.assertRaisesRegex(ValueError, "timeout has more than 64 bits"):
                client.get(timeout=number)
        with self.assertRaises(ValueError):
            client.get(timeout=float("nan"))
        with self.assertRaises(ValueError):
            client.watch(distance_filter=float("inf"))
