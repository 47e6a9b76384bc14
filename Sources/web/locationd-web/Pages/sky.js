// The satellites: where they stand, and how strong they are.

import { element, setText, svg } from "./dom.js";
import { feed } from "./feed.js";
import { settings } from "./settings.js";
import { formatNumber, text } from "./text.js";

/** Seconds after which a view of the sky is not shown any more. */
const LIFETIME = 15;
/** dB-Hz of a full bar. */
const STRONGEST = 55;
const RADIUS = 100;

/** Keeps the plot (SVG), the table and the summary up to date. */
export function showSky({ plot, table, summary }) {
    const marks = svg("g");
    plot.append(svg("g", { class: "rings" }, ...[0, 30, 60].map((elevation) => svg("circle", { r: RADIUS * (90 - elevation) / 90 })),
        svg("line", { x1: -RADIUS, x2: RADIUS }), svg("line", { y1: -RADIUS, y2: RADIUS })), svg("g", { class: "points" }), marks);

    const show = () => {
        const isShown = feed.connection === "live" && feed.satellites !== undefined
            && performance.now() - feed.satellitesAt < LIFETIME * 1000;
        const satellites = isShown ? sorted(feed.satellites) : [];
        const used = satellites.filter((satellite) => satellite.used).length;
        const words = isShown ? text("sky.summary", { visible: satellites.length, used }) : text("sky.none");
        setText(summary, words);
        plot.setAttribute("aria-label", words);
        marks.replaceChildren(...satellites.filter(isPlaced).map(mark));
        table.replaceChildren(...satellites.map(row));
        table.closest("table").hidden = satellites.length === 0;
    };
    const showPoints = () => {
        const [n, , e, , s, , w] = text("compass").split(" ");
        plot.querySelector(".points").replaceChildren(...[[n, 0, -108], [e, 110, 4], [s, 0, 116], [w, -110, 4]]
            .map(([words, x, y]) => svg("text", { x, y, "text-anchor": "middle" }, words)));
    };
    feed.addEventListener("satellites", show);
    feed.addEventListener("state", show);
    settings.addEventListener("change", () => { showPoints(); show(); });
    setInterval(() => {
        if (performance.now() - feed.satellitesAt >= LIFETIME * 1000) show();
    }, 5000);
    showPoints();
    show();
}

function sorted(satellites) {
    return satellites.toSorted((a, b) => a.gnss.localeCompare(b.gnss) || a.id - b.id);
}

function isPlaced({ azimuth, elevation }) {
    return azimuth !== undefined && elevation !== undefined && elevation >= 0;
}

function mark(satellite) {
    const distance = RADIUS * (90 - satellite.elevation) / 90;
    const angle = satellite.azimuth * Math.PI / 180;
    const [x, y] = [distance * Math.sin(angle), -distance * Math.cos(angle)];
    return svg("g", { class: `satellite ${classes(satellite)}` },
        svg("title", {}, `${satellite.gnss} ${satellite.id}`),
        svg("circle", { cx: x, cy: y, r: 7 }),
        svg("text", { x, y: y + 3, "text-anchor": "middle" }, String(satellite.id)));
}

function row(satellite) {
    const { signal } = satellite;
    const width = signal === undefined ? 0 : Math.max(0, Math.min(100, 100 * signal / STRONGEST));
    return element("tr", { class: classes(satellite) },
        element("th", { scope: "row" }, `${satellite.gnss} ${satellite.id}`),
        element("td", { class: "signal" },
            svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
                svg("rect", { width, height: 10 })),
            element("span", {}, signal === undefined ? "–" : `${formatNumber(signal)} dB-Hz`)),
        element("td", {}, degrees(satellite.elevation)),
        element("td", {}, degrees(satellite.azimuth)),
        element("td", {}, text(satellite.used ? "sky.used" : "sky.unused")));
}

function degrees(value) {
    return value === undefined ? "–" : `${formatNumber(value)}°`;
}

function classes({ used, gnss }) {
    const system = ["GPS", "SBAS", "Galileo", "BeiDou", "QZSS", "GLONASS", "NavIC"].includes(gnss) ? gnss : "other";
    return `${used ? "used" : "unused"} ${system}`;
}
