// The user's own programs that ask to know the position, and what the user may answer where the policy lets it decide.

import { call, perform } from "./calls.js";
import { claim } from "./claim.js";
import { element, setText } from "./dom.js";
import { feed } from "./feed.js";
import { settings } from "./settings.js";
import { text } from "./text.js";

/** How often the request is asked for while it waits. */
const INTERVAL_MILLISECONDS = 5000;
/** The most characters of a name and of a purpose, as of the notification's. */
const LIMITS = { name: 40, purpose: 160 };

/** The command by which a user allows what a request asks for, within what the policy lets it grant. */
function ownCommand(request, ceiling, isReduced, process) {
    const isAlways = request.level === "always" && ceiling.authorization === "authorizedAlways";
    const level = process !== undefined ? ` --this-time ${process}` : isAlways ? "" : " --when-in-use";
    const reduced = isReduced || ceiling.accuracy === "reduced" ? " --reduced" : "";
    const term = ceiling.longest === undefined ? "" : ` --for ${Math.floor(ceiling.longest)}s`;
    return `locctl authorize me${level}${reduced}${term}`;
}

/** The process of the program that asks, if it is the only one: it alone may be allowed, until it ends. */
function onlyProcess({ waiting = [], processes }) {
    const names = new Set(waiting.map(({ name }) => name));
    const [name] = names;
    return names.size === 1 ? processes?.[name] : undefined;
}

/** What the programs say of themselves, in words; empty if they say nothing. One of several without a name has its purpose for a name. */
function claims({ programs, waiting = programs.map((name) => ({ name })) }) {
    const explained = new Set(waiting.filter(({ name }) => name).map(({ purpose }) => purpose));
    const named = waiting.filter(({ name, purpose }) => name || !explained.has(purpose));
    const isOne = named.length === 1;
    const purpose = isOne ? named[0].purpose : undefined;
    const names = [...new Set(named.map((one) => one.name ?? (isOne ? undefined : one.purpose)).filter(Boolean))]
        .map((name) => text("question.quoted", { name: shortened(name, LIMITS.name) })).join(", ");
    return [
        names && text("question.names", { names }),
        purpose && text("question.purpose", { purpose: shortened(purpose, LIMITS.purpose) }),
    ].filter(Boolean).join(" ");
}

function shortened(value, limit) {
    const characters = [...claim(value)];
    return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : characters.join("");
}

/** Where the person answers, for all of her programs or for the only one that asks. */
function elsewhere(request, ceiling, { isReduced }) {
    const command = ownCommand(request, ceiling, isReduced);
    const process = onlyProcess(request);
    if (process === undefined) return text("question.elsewhere", { command });
    return text("question.elsewhereOnce", { command, once: ownCommand(request, ceiling, isReduced, process) });
}

/** Shows the question while there is one; `root` is hidden otherwise. */
export function showQuestion(root) {
    const answer = root.querySelector(".answer");
    /** The reply that is shown; undefined while there is none. */
    let shown;
    /** The number of the request that this page has put off. */
    let putOff;
    /** The wish whose command is shown. */
    let wish;

    const grant = (isReduced) => () => {
        wish = { isReduced };
        show();
    };
    const deny = async () => {
        try {
            await call("Decide", { number: shown.request.number, authorization: "denied" });
            shown = undefined;
            show();
        } catch (error) {
            // Another request may have come in its place, which is shown before it is answered.
            await read();
            throw error;
        }
    };
    const button = (key, action, attributes = {}) => {
        const node = element("button", { type: "button", "data-text": key, ...attributes });
        node.addEventListener("click", () => perform(node, async () => action()));
        return node;
    };
    const allow = button("question.allow", grant(false));
    root.querySelector(".buttons").append(
        allow,
        button("question.roughly", grant(true)),
        button("question.notNow", () => { putOff = shown.request.number; show(); }),
        button("question.never", deny, { class: "danger" }));

    const show = () => {
        const isShown = shown !== undefined && shown.request.number !== putOff;
        // Whoever is at one of its buttons goes on at the beginning of what the page shows.
        if (!isShown && root.contains(document.activeElement)) document.getElementById("content").focus();
        root.hidden = !isShown;
        if (!isShown) return;
        const { request, ceiling } = shown;
        setText(root.querySelector(".title"), text(request.fullAccuracy ? "question.titleFull" : "question.title"));
        setText(root.querySelector(".claim"), claims(request));
        for (const node of root.querySelectorAll(".buttons button")) setText(node, text(node.dataset.text));
        allow.hidden = ceiling.accuracy === "reduced";
        // A page cannot have polkit ask for a password, so it says where that is asked.
        setText(answer, wish ? elsewhere(request, ceiling, wish) : "");
    };

    /** How often it was read: an answer that comes late says nothing. */
    let reads = 0;
    let timer;
    const read = async () => {
        reads += 1;
        const count = reads;
        let reply;
        try {
            reply = await call("WatchRequests");
        } catch {
            // It is asked again, and the state names the administrator's way.
        }
        if (count !== reads) return;
        const request = reply?.requests?.[0];
        const before = shown?.request.number;
        if (reply !== undefined) shown = request && reply.ceiling ? { request, ceiling: reply.ceiling } : undefined;
        if (shown?.request.number !== before) wish = undefined;
        show();
        // Another program may ask, or for more, which changes nothing in the status.
        clearTimeout(timer);
        timer = setTimeout(read, INTERVAL_MILLISECONDS);
    };

    let wasWaiting = false;
    const look = () => {
        const { connection, status } = feed;
        const isWaiting = connection === "live" && (status?.authorizationPending || status?.fullAccuracyPending) === true;
        if (isWaiting === wasWaiting) return;
        wasWaiting = isWaiting;
        if (isWaiting) return read();
        reads += 1;
        clearTimeout(timer);
        shown = undefined;
        show();
    };
    feed.addEventListener("state", look);
    settings.addEventListener("change", show);
    look();
}
