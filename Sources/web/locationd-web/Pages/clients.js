// Who is connected, for administrators.

import { call, perform } from "./calls.js";
import { claim } from "./claim.js";
import { confirm } from "./dialog.js";
import { element, updateRows } from "./dom.js";
import { formatNumber, formatTime, text } from "./text.js";

/** Seconds; the page's own calls are connections, too, which ask for nothing that lasts and are over at once. */
const PASSING = 5;

/** Writes the connections into the table's body; `refresh` reads them again after one was ended. */
export function showClients(body, clients, refresh) {
    const lasting = clients.filter(({ request, since }) => request || Date.now() - Date.parse(since) > PASSING * 1000);
    updateRows(body, lasting, {
        key: (client) => client.id,
        make: (client) => {
            const button = element("button", { type: "button", onclick: () => perform(button, () => disconnect(client, refresh)) });
            return element("tr", {}, element("th", { scope: "row" }), ...Array.from({ length: 5 }, () => element("td")),
                element("td", { class: "actions" }, button));
        },
        update: (row, client) => {
            const words = [
                client.label ? `${client.principal} (${claim(client.label)})` : client.principal,
                [client.request, client.purpose && claim(client.purpose)].filter(Boolean).join(": ") || "–",
                String(client.pid),
                formatTime(new Date(client.since), { timeStyle: "medium" }),
                formatNumber(client.sent),
                formatNumber(client.dropped) + (client.behind ? ` (${text("clients.behind")})` : ""),
            ];
            words.forEach((value, index) => { row.children[index].textContent = value; });
            const button = row.querySelector("button");
            button.textContent = text("clients.disconnect");
            button.setAttribute("aria-label", text("clients.disconnectWhom", { principal: words[0], pid: client.pid }));
        },
    });
}

async function disconnect(client, refresh) {
    const question = text("clients.question", { principal: client.principal, pid: client.pid });
    if (!await confirm(question, text("clients.disconnect"))) return;
    await call("admin.Disconnect", { id: client.id });
    await refresh();
}
