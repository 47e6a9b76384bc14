"""The driver over `locationd.AsyncClient`. See ../README.md."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import locationd
from normal import Reporter, arguments, error_event, event


async def perform(client: locationd.AsyncClient, call: dict[str, Any], reporter: Reporter) -> None:
    name, options = call["call"], arguments(call.get("options", {}))
    match name:
        case "watch" | "regions":
            async with client.watch(**options) if name == "watch" else client.regions(**options) as updates:
                async for update in updates:
                    # In a thread, because a pause waits for the judge while the loop must go on.
                    if await asyncio.to_thread(reporter.report, event(update, updates.dropped)):
                        return
        case "get" | "status" | "request_authorization" | "monitors":
            reporter.report(event(await getattr(client, name)(**options)))
        case "change_regions" | "remove_monitor":
            await getattr(client, name)(options.pop("name"), **options)
        case _:
            raise ValueError(f"no call: {name}")
    reporter.report({"event": "end"})


async def main() -> None:
    call = json.loads(sys.stdin.readline())
    reporter = Reporter(call)
    async with locationd.AsyncClient() as client:
        try:
            await perform(client, call, reporter)
        except locationd.LocationdError as error:
            reporter.report(error_event(error))


if __name__ == "__main__":
    asyncio.run(main())
