// What the place is called where the position is, by locationd-places.

import { call, isThere } from "./calls.js";
import { setText } from "./dom.js";
import { feed } from "./feed.js";
import { settings } from "./settings.js";

/** Metres from where the last name was asked for, and seconds since then, both before it is asked for again. */
const [STEP, PAUSE] = [100, 30];
/** Seconds after a failure, and where the service is not there. */
const PAUSE_AFTER_FAILURE = 300;
/** Metres at which a name says nothing of where the position is now. */
const REACH = 2000;

/** Keeps the name and whose it is in `place` up to date; without the service, or a name, the element is empty. */
export function showPlaceName(place, session) {
    let asked;
    let named;
    let isAsking = false;
    let mayAskAt = 0;

    const ask = async ({ latitude, longitude }) => {
        const { language } = settings;
        isAsking = true;
        asked = { latitude, longitude, language };
        mayAskAt = performance.now() + PAUSE * 1000;
        try {
            if (!await isThere(session, "hasPlaces")) throw new Error("locationd-places is not there");
            const { placemarks } = await call("places.ReverseGeocode", { latitude, longitude, locale: language });
            named = { ...asked, placemark: placemarks[0] };
        } catch {
            // Where nothing is known of a position, or the service is away: the page is complete without the name.
            named = undefined;
            mayAskAt = performance.now() + PAUSE_AFTER_FAILURE * 1000;
        } finally {
            isAsking = false;
        }
        show();
    };
    const show = () => {
        const { location } = feed;
        const isNamed = location && named?.placemark && distance(named, location) < REACH;
        setText(place, isNamed ? describe(named.placemark) : "");
        place.hidden = !isNamed;
        if (location === undefined || isAsking) return;
        const isElsewhere = asked === undefined || distance(asked, location) >= STEP;
        if (asked?.language !== settings.language || isElsewhere && performance.now() >= mayAskAt) ask(location);
    };
    feed.addEventListener("location", show);
    settings.addEventListener("change", show);
    show();
}

/** "Mitte, Berlin, Germany – GeoNames (CC BY 4.0)": from the smallest to the largest, each once. */
function describe({ name, locality, nearestPlace, administrativeArea, country, ocean, inlandWater, attribution }) {
    const parts = [name, locality ?? nearestPlace, administrativeArea, country ?? ocean ?? inlandWater].filter(Boolean);
    const words = parts.filter((part, index) => part !== parts[index - 1]).join(", ");
    return attribution ? `${words} – ${attribution}` : words;
}

/** Metres, near enough for a few kilometres. */
function distance(one, other) {
    const east = ((one.longitude - other.longitude + 540) % 360 - 180) * Math.cos(one.latitude * Math.PI / 180);
    return Math.hypot(one.latitude - other.latitude, east) * 111_195;
}
