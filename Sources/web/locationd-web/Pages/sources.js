// The sources by rank: which one is followed, and why none above it is.

import { element, setText } from "./dom.js";
import { feed } from "./feed.js";
import { settings } from "./settings.js";
import { formatDuration, text, word } from "./text.js";

/** Keeps the list of sources in `list` up to date. A status names them all only where several are configured. */
export function showSources(list, empty) {
    const show = () => {
        const status = feed.connection === "live" ? feed.status : undefined;
        const name = status?.sourceName ?? feed.location?.source.name;
        const single = status && name !== undefined
            ? [{ name, state: status.source, reason: status.reason, fixAge: status.fixAge }] : [];
        const ranked = status?.sources ?? single;
        list.replaceChildren(
            ...ranked.map((source) => item(source, source.name === name)),
            ...(status?.compasses ?? []).map((compass) => item(compass, false, text("sources.compass"))));
        list.hidden = list.children.length === 0;
        empty.hidden = !list.hidden;
        setText(empty, text("sources.none"));
    };
    feed.addEventListener("state", show);
    settings.addEventListener("change", show);
    show();
}

function item({ name, state, reason, fixAge }, isFollowed, kind) {
    const details = [word("source", state), fixAge !== undefined && text("sources.age", { age: formatDuration(fixAge) })];
    return element("li", { class: isFollowed ? "followed" : undefined },
        element("strong", {}, name), isFollowed ? element("span", { class: "tag" }, text("sources.followed")) : null,
        kind ? element("span", { class: "tag" }, kind) : null,
        element("span", { class: "details" }, details.filter(Boolean).join(", ")),
        reason ? element("span", { class: "reason", lang: "en" }, reason) : null);
}
