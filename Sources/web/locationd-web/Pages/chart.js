// A value over time as a line of SVG, interrupted where the track is.

import { svg } from "./dom.js";
import { formatNumber, formatTime } from "./text.js";

const HEIGHT = 190;
/** Milliseconds; times of a shorter track are written with seconds. */
const SHORT = 20 * 60 * 1000;
const MARGIN = { left: 52, right: 12, top: 24, bottom: 24 };

/**
 * Draws `series`, arrays of { time (milliseconds), value } without gaps, into `drawing`, which is as wide as it is shown.
 * `scale` has the factor and the unit of the person's units.
 */
export function drawChart(drawing, series, { factor, unit }) {
    const points = series.flat();
    if (points.length === 0) {
        drawing.replaceChildren();
        return;
    }
    const width = Math.max(drawing.clientWidth, 240);
    drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const times = extent(points.map(({ time }) => time));
    const step = niceStep(extent(points.map(({ value }) => value * factor)));
    const [low, high] = extent(points.map(({ value }) => value * factor));
    const bottom = Math.floor(low / step) * step;
    const top = Math.max(Math.ceil(high / step) * step, bottom + step);
    const x = (time) => MARGIN.left + (width - MARGIN.left - MARGIN.right) * (time - times[0]) / Math.max(times[1] - times[0], 1);
    const y = (value) => HEIGHT - MARGIN.bottom - (HEIGHT - MARGIN.top - MARGIN.bottom) * (value - bottom) / (top - bottom);

    const rows = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, index) => bottom + index * step);
    const digits = Math.max(0, Math.ceil(-Math.log10(step)));
    drawing.replaceChildren(
        svg("g", { class: "grid" }, ...rows.map((value) =>
            svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }))),
        svg("g", { class: "labels" },
            ...rows.map((value) => svg("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" },
                formatNumber(value, digits))),
            svg("text", { x: 4, y: 12 }, unit),
            ...marks(times, width).map(({ time, anchor }) => svg("text", { x: x(time), y: HEIGHT - 6, "text-anchor": anchor },
                formatTime(new Date(time), { timeStyle: times[1] - times[0] < SHORT ? "medium" : "short" })))),
        ...series.filter((segment) => segment.length > 0).map((segment) => svg("polyline", {
            class: "line", points: segment.map(({ time, value }) => `${x(time).toFixed(1)},${y(value * factor).toFixed(1)}`).join(" "),
        })));
}

/** The times that are written below, of which the outer ones stay inside the drawing. */
function marks([begin, end], width) {
    const count = Math.max(2, Math.min(6, Math.floor(width / 140)));
    return Array.from({ length: count }, (_, index) => ({
        time: begin + (end - begin) * index / (count - 1),
        anchor: index === 0 ? "start" : index === count - 1 ? "end" : "middle",
    }));
}

function extent(values) {
    // A day has too many values for the arguments of Math.min.
    return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** 1, 2 or 5 times a power of ten, so that three to six lines fit. */
function niceStep([low, high]) {
    const rough = Math.max(high - low, 1e-3) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}
