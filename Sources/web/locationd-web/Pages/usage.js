// The user's own programs that use the position, now or in the last 24 hours.

import { call, showNotice } from "./calls.js";
import { claim } from "./claim.js";
import { element, setText, updateRows } from "./dom.js";
import { settings } from "./settings.js";
import { formatNumber, formatTime, text } from "./text.js";

/** How often the list is read while it is open. */
const INTERVAL_MILLISECONDS = 5000;
const MOMENT = { dateStyle: "short", timeStyle: "short" };

/** Shows the list in an element `details` while that is open. */
export function showUsage(root) {
    const [table, none, counted] = ["table", ".none", ".counted"].map((name) => root.querySelector(name));
    let usage = [];
    let timer;

    const show = () => {
        table.hidden = usage.length === 0;
        none.hidden = !table.hidden;
        const since = usage[0]?.countedSince;
        setText(counted, since ? text("usage.counted", { time: formatTime(new Date(since), MOMENT) }) : "");
        updateRows(table.tBodies[0], usage, {
            key: ({ program, service }) => JSON.stringify([program, service]),
            make: () => element("tr", {}, element("th", { scope: "row" }),
                ...Array.from({ length: 5 }, () => element("td"))),
            update: (row, entry) => {
                const name = entry.program === undefined ? text("usage.nameless") : claim(entry.program);
                const words = [
                    entry.pid === undefined || entry.program !== undefined ? name : `${name} (${entry.pid})`,
                    entry.since ? text("usage.since", { time: formatTime(new Date(entry.since), MOMENT) }) : "–",
                    entry.last ? formatTime(new Date(entry.last), MOMENT) : "–",
                    formatNumber(entry.locations),
                    text(`usage.${entry.accuracy === "full" ? "full" : "reduced"}`),
                    entry.service ?? "–",
                ];
                words.forEach((value, index) => { setText(row.children[index], value); });
            },
        });
    };

    const read = async () => {
        clearTimeout(timer);
        if (!root.open) return;
        try {
            usage = (await call("WatchUsage")).usage ?? [];
            show();
        } catch (error) {
            showNotice(error.message);
        }
        clearTimeout(timer);
        timer = setTimeout(read, INTERVAL_MILLISECONDS);
    };
    root.addEventListener("toggle", read);
    settings.addEventListener("change", show);
    return read();
}
