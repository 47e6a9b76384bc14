// SI values in the units that the person chose.

import { settings } from "./settings.js";
import { formatNumber } from "./text.js";

const METRE = { factor: 1, unit: "m" };
const FOOT = { factor: 1 / 0.3048, unit: "ft" };
const SYSTEMS = {
    metric: { speed: { factor: 3.6, unit: "km/h" }, short: METRE, long: { factor: 1e-3, unit: "km" } },
    imperial: { speed: { factor: 3600 / 1609.344, unit: "mph" }, short: FOOT, long: { factor: 1 / 1609.344, unit: "mi" } },
    // Charts give depths and heights in metres, distances in nautical miles.
    nautical: { speed: { factor: 3600 / 1852, unit: "kn" }, short: METRE, long: { factor: 1 / 1852, unit: "nmi" } },
};

const system = () => SYSTEMS[settings.units];

/** Metres a second. */
export function formatSpeed(value) {
    return show(value, system().speed, 1);
}

/** Metres, of a height or an accuracy. */
export function formatLength(value) {
    const { factor } = system().short;
    return show(value, system().short, Math.abs(value * factor) < 10 ? 1 : 0);
}

/** Metres, of a way: short ones in the small unit. */
export function formatDistance(value) {
    const inLong = value * system().long.factor;
    if (inLong < 1) return show(value, system().short, 0);
    return show(value, system().long, inLong < 100 ? 1 : 0);
}

/** Degrees from true north, with the point of the compass in words of `points` (eight, from north on). */
export function formatCourse(value, points) {
    const rounded = Math.round(value) % 360;
    return `${String(rounded).padStart(3, "0")}° ${points[Math.round(value / 45) % 8]}`;
}

export const speedScale = () => system().speed;
export const lengthScale = () => system().short;

function show(value, { factor, unit }, digits) {
    return `${formatNumber(value * factor, digits)} ${unit}`;
}
