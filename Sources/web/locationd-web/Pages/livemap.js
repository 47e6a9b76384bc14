// The position on the map: accuracy, course, heading and the trail since the page was opened.

import * as L from "/leaflet/leaflet.esm.min.js";
import { OLD_AFTER } from "./age.js";
import { makeMap } from "./basemap.js";
import { svg } from "./dom.js";
import { outline } from "./ellipse.js";
import { feed } from "./feed.js";
import { markNames } from "./readings.js";

/** Points of the trail; the oldest are left out beyond it. */
const TRAIL_LIMIT = 10000;
/** Metres of the first view at least. */
const LEAST_VIEW = 600;
/** Metres that the position moves before the trail gets a point. */
const TRAIL_STEP = 3;

/**
 * Shows the feed's position in `container`; `follow` is the button that keeps it in view, and `estimateButton` the one that shows the
 * estimate beside it.
 */
export function showLiveMap(container, follow, estimateButton, session) {
    const map = makeMap(container, session);
    const circle = L.circle([0, 0], { radius: 0, className: "accuracy", interactive: false, pane: "accuracy" });
    const ellipse = L.polygon([], { className: "accuracy", interactive: false, pane: "accuracy", smoothFactor: 0 });
    const { icon, turn, point } = makeIcon();
    const marker = L.marker([0, 0], { icon, interactive: false, keyboard: false });
    const trail = makeTrail(map);
    let isFollowing = true;
    let hasPosition = false;

    const setFollowing = (value) => {
        isFollowing = value;
        follow.setAttribute("aria-pressed", String(value));
        if (value && hasPosition) map.panTo(marker.getLatLng());
    };
    follow.addEventListener("click", () => setFollowing(!isFollowing));
    map.on("dragstart", () => setFollowing(false));

    const showLocation = () => {
        if (feed.location === undefined) {
            hasPosition = false;
            for (const layer of [marker, circle, ellipse]) layer.remove();
            trail.clear();
            return;
        }
        const { latitude, longitude, horizontalAccuracy, errorEllipse, course, sequence, source } = feed.location;
        const position = L.latLng(latitude, longitude);
        marker.setLatLng(position);
        circle.setLatLng(position).setRadius(horizontalAccuracy ?? 0);
        ellipse.setLatLngs(errorEllipse ? outline(feed.location) : []);
        turn(course);
        trail.add(position, sequence, feed.age, source.isSimulated || source.isReplayed);
        if (!hasPosition) {
            hasPosition = true;
            marker.addTo(map);
            map.fitBounds(position.toBounds(Math.max(LEAST_VIEW, 4 * (horizontalAccuracy ?? 0))), { animate: false });
        } else if (isFollowing) {
            map.panTo(position, { animate: false });
        }
        // The ellipse says the same more exactly.
        (errorEllipse ? ellipse : circle).addTo(map);
        (errorEllipse ? circle : ellipse).remove();
        showMarks();
    };
    const showMarks = () => {
        const names = feed.location ? markNames(feed.location, feed.isOld) : [];
        for (const layer of [marker, circle, ellipse]) {
            const node = layer.getElement();
            for (const name of ["old", "simulated", "replayed", "fixedPosition", "network"]) {
                node?.classList.toggle(name, names.includes(name));
            }
        }
        point(feed.presentHeading?.trueHeading);
    };
    showEstimate(map, estimateButton);
    feed.addEventListener("location", showLocation);
    feed.addEventListener("state", showMarks);
    feed.addEventListener("heading", showMarks);
    setInterval(showMarks, 500);
    return map;
}

/** A second dot with its circle: where the machine is estimated to be, while the button is pressed. */
function showEstimate(map, button) {
    // Before the fix's dot, which is larger.
    map.createPane("estimate").style.zIndex = 620;
    const circle = L.circle([0, 0], { radius: 0, className: "estimate", interactive: false, pane: "accuracy" });
    const dot = L.circleMarker([0, 0], { radius: 5, className: "estimate-dot", interactive: false, pane: "estimate" });
    const show = () => {
        const location = feed.presentEstimate;
        for (const layer of [circle, dot]) location ? layer.addTo(map) : layer.remove();
        if (!location) return;
        const position = [location.latitude, location.longitude];
        circle.setLatLng(position).setRadius(location.horizontalAccuracy ?? 0);
        dot.setLatLng(position);
        for (const layer of [circle, dot]) layer.getElement()?.classList.toggle("predicted", location.basis === "predicted");
    };
    button.addEventListener("click", () => {
        const isPressed = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(isPressed));
        feed.setEstimates(isPressed);
    });
    feed.addEventListener("estimate", show);
    feed.addEventListener("state", show);
    setInterval(show, 500);
}

/**
 * A dot with an arrow where the machine moves to, and a cone where its compass points to; each is left out where that is
 * not known.
 */
function makeIcon() {
    const cone = svg("path", { class: "heading", visibility: "hidden", d: "M0,0 L-9,-23 A24,24 0 0 1 9,-23 Z" });
    const arrow = svg("path", { class: "arrow", d: "M0,-22 L7,-9 L-7,-9 Z" });
    const drawing = svg("svg", { viewBox: "-24 -24 48 48", width: 48, height: 48, "aria-hidden": "true" },
        cone, arrow, svg("circle", { class: "dot", r: 8 }));
    const direct = (shape, direction) => {
        shape.setAttribute("visibility", direction === undefined ? "hidden" : "visible");
        shape.setAttribute("transform", `rotate(${direction ?? 0})`);
    };
    const turn = (course) => direct(arrow, course);
    const point = (heading) => direct(cone, heading);
    return { icon: L.divIcon({ className: "position", html: drawing, iconSize: [48, 48] }), turn, point };
}

/** The way since the page was opened, interrupted where no location came for a while. */
function makeTrail(map) {
    const line = L.polyline([[]], { className: "trail", interactive: false }).addTo(map);
    let segments = [[]];
    let lastSequence;
    let lastAt;
    let count = 0;
    return {
        clear() {
            segments = [[]];
            count = 0;
            line.setLatLngs(segments);
        },
        add(position, sequence, age, isInvented) {
            const measuredAt = performance.now() / 1000 - age;
            if (sequence === lastSequence || age > OLD_AFTER) return;
            lastSequence = sequence;
            // One invented location makes the whole way one that nobody went.
            if (isInvented) line.getElement()?.classList.add("simulated");
            const previous = segments.at(-1).at(-1);
            const isGap = lastAt !== undefined && measuredAt - lastAt > OLD_AFTER;
            // A line over the antimeridian would run once around the map.
            const isAround = previous !== undefined && Math.abs(previous.lng - position.lng) > 180;
            lastAt = measuredAt;
            if (isGap || isAround) segments.push([]);
            const segment = segments.at(-1);
            if (segment.length > 0 && map.distance(segment.at(-1), position) < TRAIL_STEP) return;
            segment.push(position);
            count += 1;
            if (count > TRAIL_LIMIT) {
                segments[0].shift();
                count -= 1;
                if (segments[0].length === 0) segments.shift();
            }
            line.setLatLngs(segments);
        },
    };
}
