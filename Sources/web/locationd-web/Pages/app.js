// The page: who is signed in, which view is shown, and the choices of the person.

import { administer } from "./administration.js";
import { announceSignedOut, fetchSession, perform, showNotice, signOut } from "./calls.js";
import { setText } from "./dom.js";
import { feed } from "./feed.js";
import { showLiveMap } from "./livemap.js";
import { showPlaceName } from "./placename.js";
import { showReadings } from "./readings.js";
import { showRegions } from "./regions.js";
import { settings } from "./settings.js";
import { showSky } from "./sky.js";
import { showSources } from "./sources.js";
import { showState } from "./state.js";
import { loadTexts, text, translate } from "./text.js";

const byID = (name) => document.getElementById(name);
const VIEWS = ["live", "sky", "track", "fleet", "administration"];

async function start() {
    document.addEventListener("signed-out", showSignedOut);
    const [session] = await Promise.all([fetchSession(), loadTexts()]);
    if (session === null) {
        announceSignedOut();
        return;
    }
    connectChoices(session);
    const opened = connectViews(session);
    translate();
    document.body.dataset.ready = "true";
    feed.start();
    addEventListener("hashchange", () => showView(opened, true));
    showView(opened, false);
}

/** Makes each view; the functions that are returned are called when a view is opened. */
function connectViews(session) {
    showState(byID("state"), session);
    whenAsked(async () => (await import("./question.js")).showQuestion(byID("own-request")));
    showReadings({ list: byID("readings"), coordinates: byID("coordinates"), marks: byID("marks"), age: byID("age") });
    showPlaceName(byID("place"), session);
    const map = showLiveMap(byID("map"), byID("follow"), byID("estimate"), session);
    showRegions(map, { list: byID("regions"), none: byID("no-regions"), events: byID("region-events") });
    whenPressed(byID("draw"), async () => (await import("./drawing.js")).drawRegions(map, byID("draw"), byID("drawing")));
    if (session.hasNearby) {
        byID("nearby").hidden = false;
        whenPressed(byID("here"), async () => {
            (await import("./nearby.js")).statePlaces(map, byID("here"), byID("stating"), byID("learned"));
        });
    }
    whenOpened(byID("usage"), async () => (await import("./usage.js")).showUsage(byID("usage")));
    showSky({ plot: byID("sky-plot"), table: byID("satellites"), summary: byID("sky-summary") });
    showSources(byID("sources"), byID("no-sources"));
    const opened = { live: () => map.invalidateSize(), sky: () => {} };
    if (session.isAdministrator) {
        byID("administration-link").hidden = false;
        opened.administration = administer(byID("administration"), countRequests);
        opened.administration();
    }
    // The track and the fleet have maps of their own: they are loaded and made when they are first needed.
    let track;
    opened.track = async () => {
        track ??= import("./track.js").then(({ showTrack }) => showTrack(byID("track"), session));
        (await track)();
    };
    if (session.hasFleet) {
        byID("fleet-link").hidden = false;
        let fleet;
        opened.fleet = async () => {
            fleet ??= import("./fleet.js").then(({ showFleet }) => showFleet(byID("fleet"), session));
            (await fleet)();
        };
    }
    return opened;
}

/** Loads what a button begins when it is pressed for the first time. */
function whenPressed(button, load) {
    const begin = async () => {
        let isLoaded = false;
        await perform(button, async () => {
            await load();
            isLoaded = true;
        });
        if (!isLoaded) return;
        button.removeEventListener("click", begin);
        button.click();
    };
    button.addEventListener("click", begin);
}

/** Loads what an element `details` shows when it is opened for the first time. The press that opens it is not repeated. */
function whenOpened(details, load) {
    const begin = async () => {
        if (!details.open) return;
        details.removeEventListener("toggle", begin);
        try {
            await load();
        } catch (error) {
            details.addEventListener("toggle", begin);
            showNotice(error.message);
        }
    };
    details.addEventListener("toggle", begin);
}

/** Loads the question about the user's own programs when the first request waits. */
function whenAsked(load) {
    let loading;
    const look = () => {
        const { status } = feed;
        if (status?.authorizationPending !== true && status?.fullAccuracyPending !== true) return;
        // Where it fails it is tried again with the next state, which names the command meanwhile.
        loading ??= load().then(() => feed.removeEventListener("state", look), () => { loading = undefined; });
    };
    feed.addEventListener("state", look);
    look();
}

function showView(opened, isChosen) {
    const wanted = location.hash.slice(1);
    // The link that skips to the content changes the address, too.
    if (isChosen && !VIEWS.includes(wanted)) return;
    const isThere = VIEWS.includes(wanted) && opened[wanted] !== undefined;
    const name = isThere ? wanted : "live";
    for (const view of VIEWS) byID(view).hidden = view !== name;
    for (const link of document.querySelectorAll("nav a")) {
        if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    showTitle();
    showNotice("");
    opened[name]?.();
    // The keyboard goes on in the view that was chosen.
    if (isChosen) byID(name).querySelector("h2").focus();
}

function showTitle() {
    const current = document.querySelector("nav a[aria-current]");
    document.title = `${text(`view.${current.hash.slice(1)}`)} – locationd`;
}

function countRequests(count) {
    const badge = byID("request-count");
    badge.hidden = count === 0;
    setText(badge.firstElementChild, String(count));
}

function connectChoices(session) {
    byID("user").textContent = session.user ?? `uid:${session.uid}`;
    byID("version").textContent = session.version ?? "";
    for (const name of ["units", "language"]) {
        byID(name).value = settings[name];
        byID(name).addEventListener("change", () => perform(byID(name), async () => {
            settings.choose(name, byID(name).value);
            await loadTexts();
            translate();
            showTitle();
            settings.announce();
        }));
    }
    byID("sign-out").addEventListener("click", () => signOut().catch(() => showNotice(text("error.Unreachable"))));
    byID("notice").querySelector("button").addEventListener("click", () => showNotice(""));
}

function showSignedOut() {
    feed.close();
    // The page that the server gives to whoever has no session says how to open one.
    location.replace("/signed-out.html");
}

start().catch((error) => {
    document.body.dataset.ready = "true";
    showNotice(error.message);
});
