"""The driver over `locationd.Client`. See ../README.md."""

from __future__ import annotations

import json
import sys
from typing import Any

import locationd
from normal import Reporter, arguments, error_event, event


def perform(client: locationd.Client, call: dict[str, Any], reporter: Reporter) -> None:
    name, options = call["call"], arguments(call.get("options", {}))
    match name:
        case "watch" | "regions":
            with client.watch(**options) if name == "watch" else client.regions(**options) as updates:
                for update in updates:
                    if reporter.report(event(update, updates.dropped)):
                        return
        case "get" | "status" | "request_authorization" | "monitors":
            reporter.report(event(getattr(client, name)(**options)))
        case "change_regions" | "remove_monitor":
            getattr(client, name)(options.pop("name"), **options)
        case _:
            raise ValueError(f"no call: {name}")
    reporter.report({"event": "end"})


def main() -> None:
    call = json.loads(sys.stdin.readline())
    reporter = Reporter(call)
    with locationd.Client() as client:
        try:
            perform(client, call, reporter)
        except locationd.LocationdError as error:
            reporter.report(error_event(error))


if __name__ == "__main__":
    main()
