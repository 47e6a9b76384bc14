// Meridians and parallels with their degrees, as close as the zoom allows.

import * as L from "/leaflet/leaflet.esm.min.js";

/** Degrees between two lines. */
const STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
/** Pixels between two lines at least. */
const SPACING = 90;

/** Draws the lines of the map's view, and anew when it has moved. */
export function showGraticule(map) {
    const lines = L.layerGroup().addTo(map);
    const draw = () => {
        lines.clearLayers();
        const bounds = map.getBounds().pad(0.2);
        const step = stepAt(map.getZoom());
        const digits = Math.max(0, Math.ceil(-Math.log10(step)));
        const corner = map.getBounds();
        for (const longitude of multiples(step, bounds.getWest(), bounds.getEast())) {
            const east = ((longitude + 180) % 360 + 360) % 360 - 180;
            addLine([[-85, longitude], [85, longitude]]);
            addLabel([corner.getSouth(), longitude], name(east, digits, "E", "W"), "meridian");
        }
        for (const latitude of multiples(step, Math.max(-85, bounds.getSouth()), Math.min(85, bounds.getNorth()))) {
            addLine([[latitude, bounds.getWest()], [latitude, bounds.getEast()]]);
            addLabel([latitude, corner.getEast()], name(latitude, digits, "N", "S"), "parallel");
        }
    };
    const addLine = (points) => lines.addLayer(L.polyline(points, {
        className: "graticule", interactive: false, weight: 1, pane: "base",
    }));
    const addLabel = (position, words, kind) => {
        const label = document.createElement("span");
        label.textContent = words;
        lines.addLayer(L.marker(position, {
            interactive: false, keyboard: false,
            icon: L.divIcon({ className: `graticule-label ${kind}`, html: label, iconSize: null }),
        }));
    };
    map.on("moveend zoomend resize", draw);
    draw();
}

function stepAt(zoom) {
    const degreesPerPixel = 360 / (256 * 2 ** zoom);
    return STEPS.findLast((step) => step / degreesPerPixel >= SPACING) ?? STEPS[0];
}

function multiples(step, from, to) {
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}

function name(value, digits, positive, negative) {
    const side = value > 0 ? positive : value < 0 ? negative : "";
    return `${Math.abs(value).toFixed(digits)}°${side && ` ${side}`}`;
}
