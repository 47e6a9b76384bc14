// The live updates of the page: one EventSource, and what was received last.

import { AgeKeeper, OLD_AFTER } from "./age.js";
import { announceSignedOut, call, fetchSession } from "./calls.js";

/** Seconds after which a position is too old to be shown. */
const OLDEST = 30 * 86400;
/** Seconds after which a heading is not shown any more: a device is turned within one. */
const HEADING_LIFETIME = 5;
/** After the server refused the stream, which EventSource takes as the end; drawn at random between the half and the whole. */
const RETRY_MILLISECONDS = 2000;

/**
 * Dispatches "state" when the connection or the status changes, "location" for each location and when it is taken back,
 * "satellites", "heading", "dropped", "regions" and, with a report as its detail, "region". After an outage it goes on by itself.
 */
class Feed extends EventTarget {
    /** "connecting", "live", "outage" (the server cannot reach the daemon) or "disconnected" (nobody reaches the server). */
    connection = "connecting";
    outageReason;
    status;
    location;
    satellites;
    satellitesAt = 0;
    heading;
    /** The person's regions, and the state of each. */
    regions;
    /** The newest estimate with its status, while the page asks for estimates. */
    estimate;
    /** Locations that this page was too slow for, in all. */
    dropped = 0;

    #ages = new AgeKeeper();
    #stamp;
    #headingAt = 0;
    #hasAskedForLast = false;
    #source;
    #retry;
    #wantsEstimates = false;
    #estimateStamp;

    start() {
        clearTimeout(this.#retry);
        this.#source?.close();
        this.#source = new EventSource(this.#wantsEstimates ? "/live?estimates=1" : "/live");
        this.#source.addEventListener("open", () => this.#ages.restart());
        this.#source.addEventListener("update", (event) => this.#receive(JSON.parse(event.data)));
        this.#source.addEventListener("outage", (event) => this.#lose("outage", JSON.parse(event.data).reason));
        this.#source.addEventListener("estimate", (event) => this.#receiveEstimate(JSON.parse(event.data)));
        this.#source.addEventListener("dropped", (event) => {
            this.dropped += JSON.parse(event.data).count;
            this.dispatchEvent(new Event("dropped"));
        });
        this.#source.addEventListener("regions", (event) => {
            this.regions = JSON.parse(event.data);
            this.dispatchEvent(new Event("regions"));
        });
        this.#source.addEventListener("region", (event) =>
            this.dispatchEvent(new CustomEvent("region", { detail: JSON.parse(event.data) })));
        this.#source.addEventListener("error", () => {
            this.#lose("disconnected");
            if (this.#source.readyState === EventSource.CLOSED) {
                clearTimeout(this.#retry);
                this.#retry = setTimeout(() => this.#startAgain(), RETRY_MILLISECONDS * (0.5 + Math.random() / 2));
            }
        });
    }

    /** Asks for estimates beside the fixes, or for them no more. */
    setEstimates(isWanted) {
        if (isWanted === this.#wantsEstimates) return;
        this.#wantsEstimates = isWanted;
        this.#forgetEstimate();
        this.start();
    }

    /** The location of the newest estimate; undefined where it is not that of now. */
    get presentEstimate() {
        const { status, location } = this.estimate ?? {};
        const isPresent = this.connection === "live" && status?.source === "tracking" && this.status?.accuracy === "full"
            && this.#estimateStamp !== undefined && this.#ages.age(this.#estimateStamp) <= OLD_AFTER;
        // Who sees no estimates is sent fixes in their place.
        return isPresent && location?.basis !== undefined ? location : undefined;
    }

    #receiveEstimate(update) {
        this.estimate = { ...this.estimate, ...update };
        if (update.location !== undefined) this.#estimateStamp = this.#ages.stamp(update.location);
        if (!mayKnowPosition(this.estimate.status ?? {})) this.#forgetEstimate();
        this.dispatchEvent(new Event("estimate"));
    }

    #forgetEstimate() {
        this.estimate = undefined;
        this.#estimateStamp = undefined;
        this.dispatchEvent(new Event("estimate"));
    }

    /** Seconds since the daemon received the location; undefined without one. */
    get age() {
        return this.#stamp && this.#ages.age(this.#stamp);
    }

    /** The heading; undefined where it is not that of now. */
    get presentHeading() {
        const isPresent = this.connection === "live" && performance.now() / 1000 - this.#headingAt < HEADING_LIFETIME;
        return isPresent ? this.heading : undefined;
    }

    /** Whether the location must not be taken for the present one. */
    get isOld() {
        const isLost = ["lost", "unavailable"].includes(this.status?.source);
        return this.#stamp !== undefined && (this.connection !== "live" || isLost || this.age > OLD_AFTER);
    }

    close() {
        this.#source?.close();
    }

    #receive(update) {
        const { status, location, satellites, heading } = update;
        const hasChanged = status !== undefined || this.connection !== "live";
        this.connection = "live";
        this.outageReason = undefined;
        if (status !== undefined) {
            const isLess = this.status?.accuracy === "full" && status.accuracy === "reduced";
            this.status = status;
            if (isLess || !mayKnowPosition(status)) this.#forget();
        }
        if (satellites !== undefined) {
            this.satellites = satellites;
            this.satellitesAt = performance.now();
            this.dispatchEvent(new Event("satellites"));
        }
        if (heading !== undefined) {
            this.heading = heading;
            this.#headingAt = performance.now() / 1000 - heading.age;
            this.dispatchEvent(new Event("heading"));
        }
        if (location !== undefined) {
            this.#stamp = this.#ages.stamp(location);
            this.location = location;
            this.dispatchEvent(new Event("location"));
        }
        if (hasChanged) this.dispatchEvent(new Event("state"));
        // Before the first fix there is none to ask for.
        const isKnown = this.status?.fixAge !== undefined && mayKnowPosition(this.status);
        if (this.location === undefined && isKnown) this.#askForLast();
    }

    /** Updates have locations of now alone; what the daemon knows from before is asked for once, and shown with its age. */
    async #askForLast() {
        if (this.#hasAskedForLast) return;
        this.#hasAskedForLast = true;
        try {
            const { location } = await call("GetLocation", { maximumAge: OLDEST, passive: true, timeout: 1 });
            if (this.location !== undefined || !mayKnowPosition(this.status)) return;
            this.#stamp = this.#ages.stamp(location);
            this.location = location;
            this.dispatchEvent(new Event("location"));
        } catch {
            // There is none, which the state says.
        }
    }

    /** Whoever may not know the position any more, or only roughly, is not shown an earlier one. */
    #forget() {
        this.location = undefined;
        this.#forgetEstimate();
        this.#hasAskedForLast = false;
        this.#stamp = undefined;
        this.satellites = undefined;
        this.heading = undefined;
        for (const name of ["location", "satellites", "heading"]) this.dispatchEvent(new Event(name));
    }

    #lose(connection, reason) {
        this.connection = connection;
        this.outageReason = reason;
        this.#forgetEstimate();
        this.dispatchEvent(new Event("state"));
    }

    async #startAgain() {
        const session = await fetchSession().catch(() => undefined);
        if (session === null) announceSignedOut();
        else this.start();
    }
}

function mayKnowPosition({ authorization, enabled }) {
    return enabled && ["authorizedAlways", "authorizedWhenInUse"].includes(authorization);
}

export const feed = new Feed();
