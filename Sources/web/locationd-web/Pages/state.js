// The state in words: what is, why, and what to do next.

import { call, perform } from "./calls.js";
import { element, setText } from "./dom.js";
import { feed } from "./feed.js";
import { settings } from "./settings.js";
import { formatDuration, text } from "./text.js";

/**
 * The state as keys of the catalogue: `name` (state.NAME is the sentence, next.NAME the next step where there is one), `tone`
 * (good, wait, bad), `values` for the texts, the daemon's own `reason`, and whether the person can ask for permission here.
 */
export function describeState({ connection, outageReason, status }, user) {
    const values = { principal: `uid:${user.uid}` };
    if (connection === "connecting") return { name: "connecting", tone: "wait", values };
    if (connection === "disconnected") return { name: "disconnected", tone: "bad", values };
    if (connection === "outage") return { name: "outage", tone: "bad", values, reason: outageReason };
    if (status === undefined) return { name: "connecting", tone: "wait", values };

    const { reason } = status;
    if (!status.enabled) return { name: "disabled", tone: "bad", values };
    if (status.authorization === "restricted") return { name: "restricted", tone: "bad", values, reason };
    if (status.authorization === "denied") return { name: "denied", tone: "bad", values, reason };
    if (status.authorization === "notDetermined") {
        return status.authorizationPending
            ? { name: "pending", tone: "wait", values }
            : { name: "notDetermined", tone: "bad", values, mayAsk: true };
    }
    values.visible = status.satellitesVisible ?? "–";
    values.used = status.satellitesUsed ?? "–";
    const known = ["stopped", "starting", "searching", "tracking", "lost", "unavailable"].includes(status.source);
    const hasSky = status.satellitesVisible !== undefined;
    const isSearch = status.source === "searching" || status.source === "lost";
    return {
        name: isSearch && hasSky ? `${status.source}Sky` : known ? status.source : "unknownSource",
        tone: { tracking: "good", unavailable: "bad", lost: "bad" }[status.source] ?? "wait",
        values, reason,
    };
}

/** Keeps the state's element up to date. */
export function showState(root, user) {
    const headline = root.querySelector(".headline");
    const reason = root.querySelector(".reason");
    const next = root.querySelector(".next");
    const remarks = root.querySelector(".remarks");
    const ask = root.querySelector("button");
    ask.addEventListener("click", () => perform(ask, () =>
        call("RequestAuthorization", { level: "always", purpose: text("purpose") })));

    const show = () => {
        const state = describeState(feed, user);
        root.dataset.tone = state.tone;
        root.dataset.state = state.name;
        setText(headline, text(`state.${state.name}`, state.values));
        // The daemon's sentences are English, and are to be spoken so.
        setText(reason, state.reason ?? "");
        const step = text(`next.${state.name}`, state.values);
        setText(next, step === `next.${state.name}` ? "" : step);
        ask.hidden = !state.mayAsk;
        showRemarks();
    };
    const showRemarks = () => {
        const { status } = feed;
        const lines = [];
        if (feed.connection === "live" && status !== undefined) {
            if (status.accuracy === "reduced") lines.push(text("remark.reduced"));
            if (status.authorizationRemaining !== undefined) {
                lines.push(text("remark.remaining", { duration: formatDuration(status.authorizationRemaining) }));
            }
        }
        if (feed.dropped > 0) lines.push(text("remark.dropped", { count: feed.dropped }));
        if (remarks.textContent !== lines.join("")) remarks.replaceChildren(...lines.map((line) => element("li", {}, line)));
    };
    feed.addEventListener("state", show);
    feed.addEventListener("dropped", showRemarks);
    settings.addEventListener("change", show);
    show();
}
