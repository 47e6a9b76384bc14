// What is known of the position: its coordinates to copy, and how it moves.

import { perform, showNotice } from "./calls.js";
import { formatDecimal, formatDMS, formatMaidenhead } from "./coordinates.js";
import { element, setText } from "./dom.js";
import { axes } from "./ellipse.js";
import { feed } from "./feed.js";
import { settings } from "./settings.js";
import { formatDuration, formatNumber, formatTime, text, word } from "./text.js";
import { formatCourse, formatLength, formatSpeed } from "./units.js";
import { formatMGRS, formatUTM } from "./utm.js";

const COORDINATES = {
    decimal: formatDecimal, dms: formatDMS, utm: formatUTM, mgrs: formatMGRS, maidenhead: formatMaidenhead,
};

/** Each reading as a text, or undefined where it is not known. */
const READINGS = {
    accuracy: ({ horizontalAccuracy }) => present(horizontalAccuracy, (value) => `± ${formatLength(value)}`),
    ellipse: ({ errorEllipse }) => present(errorEllipse, (value) => text(
        value.isStandardDeviation ? "reading.ellipseOf95" : "reading.ellipseOfUnknown",
        { axes: axes(value).map(formatLength).join(" × "), direction: `${Math.round(value.orientation)}°` })),
    speed: ({ speed }) => present(speed, formatSpeed),
    course: ({ course }) => present(course, (value) => formatCourse(value, text("compass").split(" "))),
    heading: () => present(feed.presentHeading, formatHeading),
    altitude: ({ altitude, verticalAccuracy }) => present(altitude, (value) => formatLength(value)
        + (verticalAccuracy === undefined ? "" : ` ± ${formatLength(verticalAccuracy)}`)),
    climb: ({ climb }) => present(climb, (value) => `${formatNumber(value, 1)} m/s`),
    mode: ({ mode, augmentation }) => [word("mode", mode), augmentation && word("augmentation", augmentation)]
        .filter(Boolean).join(", "),
    source: ({ source }) => [source.name, source.device].filter(Boolean).join(", "),
    time: ({ timestamp, timestampImplausible }) => {
        // Of a receiver that gives no time the arrival is known.
        if (!timestamp) return text("reading.arrival", { time: formatTime(new Date(Date.now() - 1000 * (feed.age ?? 0))) });
        const time = formatTime(new Date(timestamp));
        return timestampImplausible ? text("reading.implausible", { time }) : time;
    },
};

/** Those that few receivers have, and that are left out without them. */
const RARE = ["ellipse", "heading"];

function formatHeading({ trueHeading, magneticHeading, accuracy }) {
    const words = (trueHeading ?? magneticHeading) === undefined ? undefined
        : formatCourse(trueHeading ?? magneticHeading, text("compass").split(" "))
            + (accuracy === undefined ? "" : ` ± ${formatNumber(accuracy)}°`);
    return words && trueHeading === undefined ? text("reading.magnetic", { heading: words }) : words;
}

function present(value, format) {
    return value === undefined || value === null ? undefined : format(value);
}

/** Keeps the list of readings, the table of coordinates and the marks of the position up to date. */
export function showReadings({ list, coordinates, marks, age }) {
    const values = Object.fromEntries(Object.keys(READINGS).map((name) => {
        const value = element("dd");
        list.append(element("div", {}, element("dt", { "data-text": `reading.${name}` }), value));
        return [name, value];
    }));
    const positions = Object.fromEntries(Object.keys(COORDINATES).map((name) => {
        const value = element("output");
        const button = element("button", { type: "button", onclick: () => perform(button, () => copy(value.textContent)) });
        coordinates.append(element("div", { id: `coordinates-${name}` },
            element("span", { class: "label", "data-text": `coordinates.${name}` }), value, button));
        return [name, { value, button }];
    }));

    const show = () => {
        const { location } = feed;
        for (const [name, value] of Object.entries(values)) showReading(name, value);
        for (const [name, { value, button }] of Object.entries(positions)) {
            setText(value, location ? COORDINATES[name](location.latitude, location.longitude) : "–");
            button.hidden = location === undefined;
            setText(button, text("copy"));
            button.setAttribute("aria-label", text("copyAs", { name: text(`coordinates.${name}`) }));
        }
        showAge();
    };
    const showReading = (name, value) => {
        const words = feed.location && READINGS[name](feed.location);
        setText(value, words ?? "–");
        value.parentElement.hidden = RARE.includes(name) && words === undefined;
    };
    const showAge = () => {
        const { location } = feed;
        showReading("heading", values.heading);
        const names = location ? markNames(location, feed.isOld) : [];
        if (marks.dataset.names !== names.join(" ")) {
            marks.dataset.names = names.join(" ");
            marks.replaceChildren(...names.map((name) => element("li", { class: name }, text(`mark.${name}`))));
        }
        document.body.classList.toggle("old", feed.isOld);
        const seconds = feed.age;
        setText(age, seconds === undefined ? text("age.none")
            : text(feed.isOld ? "age.old" : "age.new", { age: formatDuration(seconds) }));
    };
    feed.addEventListener("location", show);
    feed.addEventListener("state", showAge);
    feed.addEventListener("heading", showAge);
    settings.addEventListener("change", () => {
        delete marks.dataset.names;
        show();
    });
    // The age counts up though nothing arrives.
    setInterval(showAge, 500);
    show();
}

/** What has to be said of a location so that nobody takes it, or its time, for what was measured now. */
export function markNames({ source, timestampImplausible }, isOld) {
    return [isOld && "old", source.isSimulated && "simulated", source.isReplayed && "replayed",
        ["fixedPosition", "network"].includes(source.method) && source.method, timestampImplausible && "implausibleTime"].filter(Boolean);
}

async function copy(value) {
    // Browsers give it to pages from this machine or by HTTPS alone.
    if (navigator.clipboard === undefined) throw new Error(text("error.clipboard"));
    await navigator.clipboard.writeText(value);
    document.getElementById("copied").textContent = "";
    document.getElementById("copied").textContent = text("copied", { value });
    showNotice("");
}
