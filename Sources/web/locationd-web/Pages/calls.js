// Calls of the daemon's methods by POST, and who is signed in.

import { text, word } from "./text.js";

const LOCATION = "org.locationd.location.";

/** A call that failed; `message` is for people. */
export class CallError extends Error {
    constructor(status, body) {
        const name = typeof body?.error === "string" ? body.error : "";
        const reason = typeof body?.parameters?.reason === "string" ? body.parameters.reason : undefined;
        const known = name === "locationd-web" && reason !== undefined ? "" : word("error", name.split(".").at(-1) || `HTTP ${status}`);
        super([known, reason].filter(Boolean).join(": "));
        this.status = status;
        this.errorName = name;
    }
}

/** Calls a method of org.locationd, such as "admin.ListClients" or, of the location interface, "GetStatus". */
export async function call(method, parameters = {}) {
    const name = method.includes(".") ? `org.locationd.${method}` : LOCATION + method;
    return post(`/call/${name}`, parameters);
}

/** Blanks after it make JSON a multiple of 256 bytes: other users could read the number of a position's digits in the length of a connection. */
function padded(json) {
    return json.padEnd(Math.ceil(json.length / 256) * 256);
}

/** Posts an object, and returns the object that is answered. */
export async function post(path, parameters) {
    let reply;
    try {
        reply = await fetch(path, {
            method: "POST",
            headers: { "content-type": "application/json", "X-Locationd": "1" },
            body: padded(JSON.stringify(parameters)),
        });
    } catch {
        throw new CallError(0, { error: "Unreachable" });
    }
    const body = await reply.json().catch(() => undefined);
    if (reply.status === 401) announceSignedOut();
    if (!reply.ok) throw new CallError(reply.status, body);
    return body ?? {};
}

/** The session, or nil where there is none any more. */
export async function fetchSession() {
    const reply = await fetch("/session");
    if (reply.status === 401) return null;
    if (!reply.ok) throw new CallError(reply.status);
    return reply.json();
}

/** Whether a service that the session names is there; it may be installed while the page is open. */
export async function isThere(session, name) {
    if (!session[name]) Object.assign(session, await fetchSession());
    return session[name];
}

export async function signOut() {
    await fetch("/sign-out", { method: "POST", headers: { "X-Locationd": "1" } });
    announceSignedOut();
}

/** The document dispatches "signed-out" when the server no longer knows the session. */
export function announceSignedOut() {
    document.dispatchEvent(new Event("signed-out"));
}

/** Runs what a button does, with the button off meanwhile, and shows a failure. */
export async function perform(button, action) {
    button.disabled = true;
    try {
        await action();
        showNotice("");
    } catch (error) {
        showNotice(error.message);
    } finally {
        button.disabled = false;
    }
}

/** The notice at the top of the page, which a screen reader speaks at once; an empty one removes it. */
export function showNotice(message) {
    const notice = document.getElementById("notice");
    notice.querySelector("p").textContent = message;
    notice.hidden = message === "";
}
