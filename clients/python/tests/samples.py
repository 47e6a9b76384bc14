"""Replies that tests begin with."""

from typing import Any


def location(sequence: int = 1, monotonic_time: float | None = None, **fields: Any) -> dict[str, Any]:
    """A location with what is required, in the interface's names."""
    return {
        "latitude": 52.5,
        "longitude": 13.4,
        "mode": "threeDimensional",
        "age": 0.1,
        "monotonicTime": float(sequence) if monotonic_time is None else monotonic_time,
        "sequence": sequence,
        "source": {"name": "gpsd", "isSimulated": False, "isReplayed": False},
        **fields,
    }


def status(**fields: Any) -> dict[str, Any]:
    """A status with what is required."""
    return {
        "authorization": "authorizedAlways",
        "accuracy": "full",
        "enabled": True,
        "source": "tracking",
        "authorizationPending": False,
        **fields,
    }
