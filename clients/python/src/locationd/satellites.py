"""The satellites in view, as an update."""

from collections.abc import Iterator
from dataclasses import dataclass

from .types import Satellite


@dataclass(frozen=True, slots=True)
class Satellites:
    """The satellites in view; it can be iterated and has a length."""

    satellites: tuple[Satellite, ...]

    def __iter__(self) -> Iterator[Satellite]:
        return iter(self.satellites)

    def __len__(self) -> int:
        return len(self.satellites)

    def __bool__(self) -> bool:
        """True: it is an update, also when no satellite is in view."""
        return True
