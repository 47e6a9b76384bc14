// The track of a day or of a trip, as locationd-history has recorded it.

import * as L from "/leaflet/leaflet.esm.min.js";
import { makeMap } from "./basemap.js";
import { call, isThere, perform, showNotice } from "./calls.js";
import { drawChart } from "./chart.js";
import { element, setText } from "./dom.js";
import { settings } from "./settings.js";
import { formatDuration, formatTime, text } from "./text.js";
import { formatDistance, formatLength, formatSpeed, lengthScale, speedScale } from "./units.js";

/** Connects the page in `root`. The function that is returned loads the day that is chosen. */
export function showTrack(root, session) {
    const part = (name) => root.querySelector(`#${name}`);
    const map = makeMap(part("track-map"), session);
    const lines = L.layerGroup().addTo(map);
    const day = part("track-day");
    const simulated = part("track-simulated");
    let points = [];
    /** Points of the track, of which long ones are shown thinned. */
    let pointCount = 0;
    let trips = [];
    let recording;
    /** The trip that is shown, or undefined for the whole day. */
    let trip;
    // Only the newest of several requests is shown.
    let newest = 0;

    const span = () => {
        const from = new Date(`${day.value}T00:00:00`);
        const to = new Date(from);
        to.setDate(to.getDate() + 1);
        return { from: from.toISOString(), to: to.toISOString() };
    };
    const loadDay = async () => {
        trip = undefined;
        const request = ++newest;
        const [{ state }, found] = await Promise.all([call("history.GetState"), call("history.GetTrips", span())]);
        if (request !== newest) return;
        trips = found.trips;
        recording = state;
        showRecording();
        await loadPoints();
    };
    const loadPoints = async () => {
        const request = ++newest;
        const which = trip === undefined ? span() : { trip };
        const reply = await call("history.GetTrack", { ...which, includeSimulated: simulated.checked });
        if (request !== newest) return;
        ({ points, pointCount } = reply);
        const query = new URLSearchParams({ ...which, ...(simulated.checked ? { includeSimulated: "true" } : {}) });
        part("track-gpx").href = `/track.gpx?${query}`;
        showPoints();
        fit();
    };
    const load = async (action) => {
        part("track-busy").hidden = false;
        try {
            await action();
            showNotice("");
        } catch (error) {
            points = [];
            showPoints();
            showNotice(error.message);
        } finally {
            part("track-busy").hidden = true;
        }
    };

    const showRecording = () => {
        const state = recording;
        const button = part("track-pause");
        const isPaused = state.pausedSince !== undefined;
        button.hidden = false;
        button.dataset.isPaused = isPaused;
        setText(button, text(isPaused ? "track.resume" : "track.pause"));
        setText(part("track-recording"), isPaused
            ? text("track.paused", { time: formatTime(new Date(state.pausedSince)) })
            : state.reason ?? (state.first === undefined ? text("track.nothingYet")
                : text("track.recorded", { time: formatTime(new Date(state.first)) })));
    };
    const showPoints = () => {
        const segments = split(points);
        lines.clearLayers();
        lines.addLayer(L.polyline(segments.map((segment) => segment.map(({ latitude, longitude }) => [latitude, longitude])), {
            className: points.some((point) => point.simulated) ? "track simulated" : "track", interactive: false,
        }));
        part("track-gpx").hidden = points.length === 0;
        setText(part("track-summary"), points.length === 0 ? text("track.none") : text(points.length < pointCount ? "track.thinned" : "track.points", {
            count: points.length, all: pointCount, from: formatTime(new Date(points[0].time)), to: formatTime(new Date(points.at(-1).time)),
        }));
        showCharts(segments);
        showTrips();
    };
    const fit = () => {
        map.invalidateSize();
        if (points.length > 0) map.fitBounds(points.map(({ latitude, longitude }) => [latitude, longitude]), { maxZoom: 17, animate: false });
    };
    const showCharts = (segments) => {
        for (const [name, member, scale, format] of [
            ["speed", "speed", speedScale(), formatSpeed], ["altitude", "altitude", lengthScale(), formatLength],
        ]) {
            const series = segments.map((segment) => segment.filter((point) => point[member] !== undefined)
                .map((point) => ({ time: Date.parse(point.time), value: point[member] })));
            const values = series.flat().map(({ value }) => value);
            const figure = part(`chart-${name}`);
            figure.hidden = values.length === 0;
            if (figure.hidden) continue;
            const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
            const words = text(`chart.${name}`, { least: format(least), most: format(most) });
            setText(figure.querySelector("figcaption"), words);
            figure.querySelector("svg").setAttribute("aria-label", words);
            drawChart(figure.querySelector("svg"), series, scale);
        }
    };
    const showTrips = () => {
        const choose = (number) => load(async () => {
            trip = number;
            await loadPoints();
            // The button that was pressed has been made anew.
            part("trips").querySelector("[aria-pressed=true]")?.focus();
        });
        const button = (words, number) => element("li", {},
            element("button", { type: "button", "aria-pressed": String(trip === number), onclick: () => choose(number) }, words));
        part("trips").replaceChildren(button(text("track.wholeDay"), undefined), ...trips.map((item) => button(tripWords(item), item.number)));
    };

    day.value = localDay(new Date());
    day.max = day.value;
    day.addEventListener("change", () => day.value && load(loadDay));
    simulated.addEventListener("change", () => load(loadPoints));
    const pause = part("track-pause");
    pause.addEventListener("click", () => perform(pause, async () => {
        await call(pause.dataset.isPaused === "true" ? "history.Resume" : "history.Pause");
        recording = (await call("history.GetState")).state;
        showRecording();
    }));
    settings.addEventListener("change", () => {
        if (recording !== undefined) showRecording();
        showPoints();
    });
    new ResizeObserver(() => {
        map.invalidateSize();
        showCharts(split(points));
    }).observe(part("track-map"));
    return () => load(async () => {
        const hasHistory = await isThere(session, "hasHistory");
        part("track-absent").hidden = hasHistory;
        for (const node of root.querySelectorAll(".toolbar, .columns")) node.hidden = !hasHistory;
        if (hasHistory) await loadDay();
    });
}

/** The points between two gaps. */
function split(points) {
    const segments = [];
    for (const point of points) {
        if (segments.length === 0 || point.afterGap) segments.push([]);
        segments.at(-1).push(point);
    }
    return segments;
}

function tripWords({ begin, end, distanceSoFar, durationSoFar, distance = distanceSoFar, duration = durationSoFar }) {
    const time = (value) => formatTime(new Date(value), { timeStyle: "short" });
    const details = [distance !== undefined && formatDistance(distance), duration !== undefined && formatDuration(duration)];
    return [end === undefined ? text("track.tripLasts", { begin: time(begin) }) : `${time(begin)} – ${time(end)}`,
        ...details.filter(Boolean)].join(", ");
}

function localDay(date) {
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
