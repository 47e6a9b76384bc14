"""The table of scenarios and clients, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def markdown_table(scenarios: Sequence[dict[str, Any]], drivers: Sequence[str],
                   passed: Mapping[tuple[str, str], bool]) -> str:
    """A row for each scenario, a column for each client: yes, no, – where the client has no such call, or nothing if it was not run.

    A number in brackets leads to a reason below.
    """
    lines = ["| scenario | what it shows | " + " | ".join(drivers) + " |", "|---" * (2 + len(drivers)) + "|"]
    notes: list[str] = []

    def note(driver: str, reason: str) -> str:
        text = f"{driver}: {reason}"
        if text not in notes:
            notes.append(text)
        return f" ({notes.index(text) + 1})"

    for scenario in scenarios:
        cells = []
        for driver in drivers:
            result = passed.get((scenario["name"], driver))
            if reason := scenario.get("notOffered", {}).get(driver):
                cells.append("–" + note(driver, reason))
            elif result is None:
                cells.append(" ")
            elif not result and (reason := scenario.get("expectedNo", {}).get(driver)):
                cells.append("no" + note(driver, reason))
            elif result and (other := scenario.get("otherwise", {}).get(driver)):
                cells.append("yes" + note(driver, other["reason"]))
            else:
                cells.append("yes" if result else "no")
        lines.append(f"| {scenario['name']} | {scenario['shows']} | " + " | ".join(cells) + " |")
    lines += [""] if notes else []
    return "\n".join(lines + [f"{index}. {text}" for index, text in enumerate(notes, 1)])
