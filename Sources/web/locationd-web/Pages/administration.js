// The administrator's page: it reads the daemon's state every few seconds while it is shown.

import { showDecisions, showRequests } from "./authorizations.js";
import { call, perform, showNotice } from "./calls.js";
import { claim } from "./claim.js";
import { showClients } from "./clients.js";
import { confirm } from "./dialog.js";
import { element, setText, updateRows } from "./dom.js";
import { settings } from "./settings.js";
import { formatDuration, formatNumber, formatTime, text, word } from "./text.js";

const INTERVAL_MILLISECONDS = 3000;
const HISTORY_LIMIT = 200;

/** Connects the page in `root`; `countRequests` is called with how many requests wait, also while another page is shown. */
export function administer(root, countRequests) {
    const part = (name) => root.querySelector(`#${name}`);
    const master = part("master-switch");
    let isEnabled = true;

    const refreshRequests = async () => {
        const { authorizations, inactive } = await call("admin.ListAuthorizations");
        showRequests(part("requests"), authorizations, refresh);
        part("no-requests").hidden = part("requests").children.length > 0;
        showDecisions(part("decisions"), authorizations, refresh);
        part("no-decisions").hidden = part("decisions").children.length > 0;
        part("inactive").replaceChildren(...inactive.map((line) => element("li", { lang: "en" }, line)));
        countRequests(authorizations.filter(({ pending }) => pending).length);
    };
    const refreshRest = async () => {
        const [{ status }, { clients }, { statistics }, { records }] = await Promise.all([
            call("GetStatus"), call("admin.ListClients"), call("admin.GetStatistics"),
            call("admin.GetHistory", { limit: HISTORY_LIMIT }),
        ]);
        isEnabled = status.enabled;
        setText(master, text(isEnabled ? "master.stop" : "master.start"));
        setText(part("master-state"), text(isEnabled ? "master.on" : "master.off"));
        showClients(part("clients"), clients, refresh);
        showSwitches(part("switches"), statistics.sources, refresh);
        setText(part("statistics"), text("statistics", {
            version: statistics.version, uptime: formatDuration(statistics.uptime), clients: formatNumber(statistics.clients),
            fixes: formatNumber(statistics.fixes), dropped: formatNumber(statistics.dropped),
        }));
        showHistory(part("history"), records);
    };
    const refresh = async () => {
        await Promise.all([refreshRequests(), root.hidden ? undefined : refreshRest()]);
    };

    master.addEventListener("click", () => perform(master, async () => {
        if (isEnabled && !await confirm(text("master.question"), text("master.stop"))) return;
        await call(isEnabled ? "admin.Stop" : "admin.Start");
        await refresh();
    }));
    part("reload").addEventListener("click", () => perform(part("reload"), async () => {
        const reloaded = part("reloaded");
        setText(reloaded, "");
        const { changed, needRestart } = await call("admin.Reload");
        setText(reloaded, [
            text(changed.length > 0 ? "reload.changed" : "reload.unchanged", { keys: changed.join(", ") }),
            needRestart.length > 0 && text("reload.needRestart", { keys: needRestart.join(", ") }),
        ].filter(Boolean).join(" "));
        await refresh();
    }));
    settings.addEventListener("change", () => {
        setText(part("reloaded"), "");
        poll();
    });

    let failure = "";
    const poll = async () => {
        if (document.hidden) return;
        try {
            await refresh();
            if (failure !== "") showNotice("");
            failure = "";
        } catch (error) {
            // Said once, and only where it concerns what is seen.
            if (!root.hidden && failure !== error.message) showNotice(error.message);
            failure = root.hidden ? "" : error.message;
        }
    };
    setInterval(poll, INTERVAL_MILLISECONDS);
    return poll;
}

function showSwitches(body, sources, refresh) {
    updateRows(body, sources, {
        key: ({ name }) => name,
        make: ({ name }) => {
            const button = element("button", {
                type: "button", role: "switch",
                onclick: () => perform(button, async () => {
                    await call("admin.SetSource", { name, enabled: button.getAttribute("aria-checked") !== "true" });
                    await refresh();
                }),
            });
            return element("tr", {}, element("th", { scope: "row" }, name), element("td"), element("td", { lang: "en" }),
                element("td", { class: "actions" }, button));
        },
        update: (row, { name, running, enabled, fixes, reason }) => {
            row.children[1].textContent = text(running ? "switches.running" : "switches.stopped",
                { fixes: formatNumber(fixes) });
            row.children[2].textContent = reason ?? "";
            const button = row.querySelector("button");
            button.setAttribute("aria-checked", String(enabled));
            button.setAttribute("aria-label", text("switches.label", { name }));
            button.textContent = text(enabled ? "switches.on" : "switches.off");
        },
    });
}

function showHistory(body, records) {
    updateRows(body, records.toReversed(), {
        key: (record) => JSON.stringify(record),
        make: () => element("tr", {}, ...Array.from({ length: 5 }, () => element("td"))),
        update: (row, { time, event, principal, authorization, accuracy, by, purpose, duration }) => {
            const words = [
                formatTime(new Date(time)), principal, word("event", event),
                [authorization && word(event === "requested" ? "asked" : "authorization", authorization),
                    accuracy && word("accuracy", accuracy),
                    duration !== undefined && text("history.duration", { duration: formatDuration(duration) }),
                    purpose && text("requests.purpose", { purpose: claim(purpose) })].filter(Boolean).join(", "),
                by ?? "",
            ];
            words.forEach((value, index) => { row.children[index].textContent = value; });
        },
    });
}
