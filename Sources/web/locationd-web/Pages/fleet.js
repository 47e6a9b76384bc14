// The devices of a fleet, for administrators: a table, and where they are on a map.

import * as L from "/leaflet/leaflet.esm.min.js";
import { makeMap } from "./basemap.js";
import { formatDecimal } from "./coordinates.js";
import { ageOf, Devices } from "./devices.js";
import { element, setText, svg, updateRows } from "./dom.js";
import { settings } from "./settings.js";
import { formatDuration, formatNumber, text } from "./text.js";
import { formatLength, formatSpeed } from "./units.js";

/** Seconds after which a device's position is shown as old: devices at rest report every few minutes. */
const OLD_AFTER = 600;
/** Seconds that the clock of a device may be ahead. */
const CLOCK_TOLERANCE = 5;

/** Connects the page in `root`. The function that is returned is called when the page is opened. */
export function showFleet(root, session) {
    const part = (name) => root.querySelector(`#${name}`);
    const map = makeMap(part("fleet-map"), session);
    const fleet = new Devices();
    const markers = new Map();
    let hasFitted = false;

    const show = () => {
        if (root.hidden) return;
        const listed = [...fleet.devices].sort(([one], [other]) => one.localeCompare(other));
        showRows(part("devices"), listed, (name) => {
            const marker = markers.get(name);
            if (marker) map.setView(marker.getLatLng(), Math.max(map.getZoom(), 9), { animate: false });
        });
        setText(part("fleet-state"), describeState(fleet));
        for (const [name, device] of listed) showMarker(map, markers, name, device);
        if (!hasFitted && markers.size > 0) {
            hasFitted = true;
            map.fitBounds(L.latLngBounds([...markers.values()].map((marker) => marker.getLatLng())).pad(0.3), { animate: false, maxZoom: 9 });
        }
    };
    fleet.addEventListener("change", show);
    settings.addEventListener("change", show);
    // Ages grow though nobody reports.
    setInterval(show, 1000);
    addEventListener("hashchange", () => {
        if (root.hidden) fleet.stop();
    });
    return () => {
        map.invalidateSize();
        fleet.start();
        show();
    };
}

function describeState({ devices, state, missed }) {
    const words = state === undefined ? text("fleet.connecting") : state !== "" ? text("fleet.noBroker", { reason: state })
        : devices.size === 0 ? text("fleet.none") : text("fleet.count", { count: formatNumber(devices.size) });
    return missed > 0 ? `${words} ${text("fleet.missed", { count: formatNumber(missed) })}` : words;
}

/** What has to be said of a device so that nobody takes its position for one that is sure and of now. */
function marksOf({ location, isGone }) {
    return [isGone && "gone", location && ageOf(location) > OLD_AFTER && "old", location?.simulated && "simulated"].filter(Boolean);
}

function showRows(body, listed, find) {
    updateRows(body, listed, {
        key: ([name]) => name,
        make: ([name]) => element("tr", {}, element("th", { scope: "row" }, name), ...Array.from({ length: 5 }, () => element("td")),
            element("td", { class: "actions" }, element("button", { type: "button", onclick: () => find(name) }))),
        update: (row, [name, device]) => {
            const { location } = device;
            const words = [
                device.name ? `${name} (${device.name})` : name,
                location ? formatDecimal(location.lat, location.lon) : "–",
                location?.acc === undefined ? "–" : `± ${formatLength(location.acc)}`,
                location?.vel === undefined ? "–" : formatSpeed(location.vel / 3.6),
                location ? describeAge(location) : "–",
                [...marksOf(device).map((mark) => text(`fleet.${mark}`)), describeEvent(device.event),
                    location?.batt !== undefined && text("fleet.battery", { percent: formatNumber(location.batt) })]
                    .filter(Boolean).join(", "),
            ];
            words.forEach((value, index) => setText(row.children[index], value));
            const button = row.querySelector("button");
            setText(button, text("fleet.show"));
            button.setAttribute("aria-label", text("fleet.showWhich", { device: name }));
            button.hidden = location === undefined;
        },
    });
}

function describeAge(location) {
    const age = ageOf(location);
    return age < -CLOCK_TOLERANCE ? text("fleet.ahead", { age: formatDuration(-age) }) : formatDuration(age);
}

function describeEvent(event) {
    return event && text(event.name === "enter" ? "fleet.entered" : "fleet.left", { region: event.region ?? "–" });
}

function showMarker(map, markers, name, device) {
    const { location } = device;
    if (location === undefined) return;
    if (!markers.has(name)) {
        const label = element("span", {}, name);
        const dot = svg("svg", { viewBox: "-10 -10 20 20", width: 20, height: 20, "aria-hidden": "true" }, svg("circle", { class: "dot", r: 7 }));
        const icon = L.divIcon({ className: "device", html: element("div", {}, dot, label), iconSize: [20, 20] });
        markers.set(name, L.marker([0, 0], { icon, interactive: false, keyboard: false }).addTo(map));
    }
    const marker = markers.get(name);
    marker.setLatLng([location.lat, location.lon]);
    const marks = marksOf(device);
    for (const mark of ["gone", "old", "simulated"]) marker.getElement().classList.toggle(mark, marks.includes(mark));
}
