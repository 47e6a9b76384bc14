"""Compares every value, enumeration, option and error with the interface's file: what is added there has to be added here."""

import copy
import dataclasses
import inspect
import tomllib
import types
import typing
import unittest
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import locationd
from locationd import AsyncClient, Client, Coordinate, Region, Satellites, SignificantChange, errors, reading
from locationd.wire import camel_case, snake_case

from .varlink_file import FILE, Interface

EXCEPTIONS = {
    "types": {"ServedProgram", "WaitingProgram", "PendingAuthorization", "Ceiling", "FirstUse"},
    "methods": {"WatchRequests", "Decide"},
    "errors": {"NotPermitted", "NoSuchRequest"},
}
"""What is for bridges and agents."""

# Sent by the library itself, and for bridges.
OPTION_EXCEPTIONS = {"library", "onBehalfOf"}

COMPUTED = {("Location", "age"), ("Heading", "age")}
"""Methods, which count on."""

METHODS = {
    "GetStatus": "status",
    "GetLocation": "get",
    "Watch": "watch",
    "Monitor": "regions",
    "RequestAuthorization": "request_authorization",
    "ChangeRegions": "change_regions",
    "ListMonitors": "monitors",
    "RemoveMonitor": "remove_monitor",
    "ListReceivers": "receivers",
    "WatchUsage": "usage",
}

OWN_OPTIONS = {"request_authorization": {"wait"}}
OWN_FIELDS = {"Status": {"connected"}, "Heading": {"monotonicTime"}}


def described(annotation: object) -> tuple[set[object], bool]:
    """The members of a union without `None`, and whether it had that."""
    members = set(typing.get_args(annotation)) if isinstance(annotation, types.UnionType) else {annotation}
    return members - {type(None)}, type(None) in members


class TypeAssertions(unittest.TestCase):
    def assert_type(self, varlink: str, annotation: object, where: str, is_option: bool = False) -> None:
        expected = varlink.lstrip("?")
        members, is_optional = described(annotation)
        if is_option:
            members -= {str} if expected.startswith("(") else set()
        self.assertEqual(len(members), 1, where)
        kind: Any = members.pop()
        if expected.startswith("("):
            self.assertTrue(issubclass(kind, Enum), where)
            self.assertEqual(expected, f"({', '.join(kind)})", where)
            # An unknown value of a later daemon is None.
            is_required = False if is_option else True
            self.assertTrue(is_optional or not is_required, where)
            return
        self.assertEqual(is_optional, varlink.startswith("?"), where)
        if expected.startswith("[string]"):
            self.assertIn(typing.get_origin(kind), (dict, Mapping), where)
        elif expected.startswith("[]"):
            self.assertIn(typing.get_origin(kind), (tuple, Sequence), where)
            element = typing.get_args(kind)[0]
            self.assertEqual(expected[2:], {str: "string"}.get(element, element.__name__), where)
        else:
            name = {str: "string", int: "int", float: "float", bool: "bool", datetime: "string"}.get(kind, kind.__name__)
            self.assertEqual(expected, name, where)

    def assert_fields(self, name: str, fields: dict[str, str], value: type[Any]) -> None:
        """That a type of the interface has these fields in the package; and that its values cannot be changed."""
        hints = typing.get_type_hints(value)
        mine = {camel_case(field.name): field for field in dataclasses.fields(value)}
        expected = {field for field in fields if (name, field) not in COMPUTED}
        self.assertEqual(expected, set(mine) - OWN_FIELDS.get(name, set()), name)
        for field in expected:
            self.assert_type(fields[field], hints[mine[field].name], f"{name}.{field}")
        self.assertTrue(value.__dataclass_params__.frozen, name)
        self.assertIn("__slots__", vars(value), name)


class TypeTests(TypeAssertions):
    """The interface against the package."""

    interface: Interface

    @classmethod
    def setUpClass(cls) -> None:
        if not FILE.exists():
            raise unittest.SkipTest("the interface's file is not beside the package")
        cls.interface = Interface(FILE.read_text())

    def test_every_type_has_the_fields_of_the_interface_and_is_frozen(self) -> None:
        for name, fields in self.interface.types.items():
            if name in EXCEPTIONS["types"]:
                continue
            self.assert_fields(name, fields, getattr(locationd, name))
        for name, method in COMPUTED:
            self.assertTrue(callable(getattr(getattr(locationd, name), method)))

    def test_region_with_a_list_equals_what_the_daemon_answers(self) -> None:
        corners = [Coordinate(1, 2), Coordinate(2, 3), Coordinate(3, 1)]
        region = Region("a", polygon=corners)
        self.assertEqual(region, Region("a", polygon=tuple(corners)))
        self.assertEqual(len({region, copy.deepcopy(region)}), 1)
        corners.clear()
        self.assertEqual(len(region.polygon or ()), 3)

    def test_satellites_are_true_without_one_in_view(self) -> None:
        self.assertTrue(Satellites(satellites=()))
        self.assertEqual(len(Satellites(satellites=())), 0)

    def test_every_method_has_the_options_of_the_interface(self) -> None:
        self.assertEqual(set(self.interface.methods) - EXCEPTIONS["methods"], set(METHODS))
        for client in (Client, AsyncClient):
            for name, python in METHODS.items():
                function: Callable[..., object] = getattr(client, python)
                hints = typing.get_type_hints(function)
                parameters = [parameter for parameter in inspect.signature(function).parameters if parameter != "self"]
                mine = {camel_case(parameter): parameter for parameter in parameters}
                options = self.interface.methods[name]
                expected = set(options) - OPTION_EXCEPTIONS
                self.assertEqual(expected, set(mine) - OWN_OPTIONS.get(python, set()), name)
                for option in expected:
                    self.assert_type(options[option], hints[mine[option]], f"{name}.{option}", is_option=True)

    def test_every_option_is_documented(self) -> None:
        for name, python in METHODS.items():
            documentation = getattr(Client, python).__doc__ or ""
            for option in set(self.interface.methods[name]) - OPTION_EXCEPTIONS:
                self.assertIn(f"`{snake_case(option)}`:", documentation, name)

    def test_what_programs_make_is_documented_where_help_shows_it(self) -> None:
        for value in (Coordinate, Region, SignificantChange):
            for field in dataclasses.fields(value):
                self.assertIn(f"`{field.name}`:", value.__doc__ or "", value.__name__)
        self.assertIn("metres", Region.__doc__ or "")

    def test_every_error_is_an_exception_with_its_fields(self) -> None:
        for name, fields in self.interface.errors.items():
            if name in EXCEPTIONS["errors"]:
                continue
            error = getattr(errors, name)
            self.assertTrue(issubclass(error, locationd.LocationdError), name)
            parameters = set(inspect.signature(error).parameters)
            self.assertEqual({{"name": "monitor"}.get(field, field) for field in fields}, parameters, name)

    def test_readers_know_the_fields_of_every_reply(self) -> None:
        source = inspect.getsource(reading)
        for name in ("Watch", "Monitor"):
            for field in self.interface.replies[name].keys() - {"dropped"}:
                self.assertIn(f'"{field}"', source)

    def test_versions_agree(self) -> None:
        project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
        self.assertEqual(project["version"], locationd.__version__)
        release = (FILE.parent / "Release.swift").read_text()
        self.assertIn(f'version = "{locationd.__version__}"', release)
