// Who may know the position: requests that wait for a decision, and what was decided.

import { call, perform } from "./calls.js";
import { claim } from "./claim.js";
import { confirm } from "./dialog.js";
import { element, updateRows } from "./dom.js";
import { formatDuration, formatTime, text, word } from "./text.js";

/** The decisions of a request, as parameters of SetAuthorization. `unchanged` is what was requested, or is granted. */
const DECISIONS = {
    allow: { authorization: "unchanged", accuracy: "full" },
    allowRoughly: { authorization: "unchanged", accuracy: "reduced" },
    deny: { authorization: "denied" },
};

/** Writes the requests that wait into `list`. */
export function showRequests(list, authorizations, refresh) {
    updateRows(list, authorizations.filter(({ pending }) => pending), {
        key: ({ principal }) => principal,
        make: ({ principal }) => element("li", {},
            element("p", { class: "who" }), element("p", { class: "purpose" }), element("p", { class: "hint" }),
            element("div", { class: "buttons" }, ...decisionButtons(principal, Object.keys(DECISIONS), refresh))),
        update: (row, authorization) => {
            const { principal, account, purpose, level, fullAccuracy, requestedAt } = authorization;
            row.querySelector(".who").textContent = text("requests.who", {
                principal: account ? `${principal} (${account})` : principal,
                what: [word("level", level ?? "always"), fullAccuracy && text("requests.fullAccuracy")].filter(Boolean).join(", "),
                time: requestedAt ? formatTime(new Date(requestedAt)) : text("unknown"),
            });
            row.querySelector(".purpose").textContent = purpose ? text("requests.purpose", { purpose: claim(purpose) }) : text("requests.noPurpose");
            const cost = row.querySelector(".hint");
            cost.textContent = text("decision.fullCost");
            cost.hidden = !isReduced(authorization);
            labelButtons(row, authorization);
        },
    });
}

/** Writes what was decided, or is restricted by the policy, into the table's body. */
export function showDecisions(body, authorizations, refresh) {
    updateRows(body, authorizations.filter(({ authorization }) => authorization !== "notDetermined"), {
        // Which buttons there are depends on the authorization, so a row is made anew when that changes.
        key: ({ principal, process, authorization, accuracy }) => `${principal} ${process} ${authorization} ${accuracy}`,
        make: (item) => element("tr", {}, element("th", { scope: "row" }), element("td"), element("td"), element("td"),
            element("td", { class: "actions" },
                element("div", { class: "buttons" }, ...decisionButtons(item.principal, choices(item), refresh)))),
        update: (row, item) => {
            const { authorization, accuracy, remaining, decidedBy, decidedAt, connections } = item;
            const words = [
                whom(item),
                [word("authorization", authorization), authorization.startsWith("authorized") && word("accuracy", accuracy),
                    remaining !== undefined && text("decisions.remaining", { duration: formatDuration(remaining) })]
                    .filter(Boolean).join(", "),
                decidedBy ? text("decisions.by", {
                    by: decidedBy, time: decidedAt ? formatTime(new Date(decidedAt)) : text("unknown"),
                }) : text("decisions.policy"),
                String(connections),
            ];
            words.forEach((value, index) => { row.children[index].textContent = value; });
            labelButtons(row, item);
        },
    });
}

/** Whether full accuracy would be more than there is: what that costs is said where it is granted. */
function isReduced({ authorization, accuracy }) {
    return authorization.startsWith("authorized") && accuracy === "reduced";
}

function whom({ principal, account, process, program }) {
    if (process !== undefined) return text("decisions.process", { principal, process, program: claim(program ?? "") });
    return account ? `${principal} (${account})` : principal;
}

/** A decision about one process ends with it; the buttons are for all programs of the principal. */
function choices({ authorization, accuracy, process }) {
    if (process !== undefined) return [];
    if (authorization === "restricted") return [];
    if (authorization === "denied") return ["grant", "forget"];
    return [accuracy === "full" ? "allowRoughly" : "allow", "deny", "forget"];
}

function decisionButtons(principal, names, refresh) {
    return names.map((name) => {
        const button = element("button", {
            type: "button", "data-decision": name, class: name === "deny" ? "danger" : undefined,
            onclick: () => perform(button, async () => {
                if (await decide(principal, name)) await refresh();
            }),
        });
        return button;
    });
}

async function decide(principal, name) {
    if (name === "forget") {
        if (!await confirm(text("decision.forgetQuestion", { principal }), text("decision.forget"))) return false;
        await call("admin.ResetAuthorization", { principal });
    } else if (name === "grant") {
        // After a denial nothing is left of the request, so that the level is given.
        await call("admin.SetAuthorization", { principal, authorization: "authorizedAlways", accuracy: "full" });
    } else {
        await call("admin.SetAuthorization", { principal, ...DECISIONS[name] });
    }
    return true;
}

function labelButtons(row, item) {
    for (const button of row.querySelectorAll("[data-decision]")) {
        const name = text(`decision.${button.dataset.decision}`);
        button.textContent = name;
        button.setAttribute("aria-label", text("decision.label", { decision: name, principal: item.principal }));
        if (button.dataset.decision === "allow") button.title = isReduced(item) ? text("decision.fullCost") : "";
    }
}
