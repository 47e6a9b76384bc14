// The person's regions: drawn on the map, listed with their states, and what happened to them.

import * as L from "/leaflet/leaflet.esm.min.js";
import { perform, post } from "./calls.js";
import { confirm } from "./dialog.js";
import { element, updateRows } from "./dom.js";
import { feed } from "./feed.js";
import { settings } from "./settings.js";
import { formatTime, text, word } from "./text.js";
import { formatDistance } from "./units.js";

/** Events that are listed; the oldest are left out beyond it. */
const EVENT_LIMIT = 50;

/** Shows the regions on `map`, in `list` and, as they are entered and left, in `events`. */
export function showRegions(map, { list, none, events }) {
    const shapes = L.layerGroup().addTo(map);

    const show = () => {
        const { regions, reports } = feed.regions ?? { regions: [], reports: [] };
        const states = new Map(reports.map(({ identifier, state }) => [identifier, state]));
        const stateOf = ({ identifier }) => states.get(identifier) ?? "unknown";
        shapes.clearLayers();
        for (const region of regions) shapes.addLayer(shape(region, `region ${stateOf(region)}`));
        updateRows(list, regions, {
            key: ({ identifier }) => identifier,
            make: ({ identifier }) => {
                const button = element("button", { type: "button", onclick: () => perform(button, () => remove(identifier)) });
                return element("li", {}, element("strong", {}, identifier), element("span", { class: "tag" }),
                    element("span", { class: "details" }), button);
            },
            update: (row, region) => {
                row.querySelector(".tag").textContent = word("region", stateOf(region));
                row.querySelector(".details").textContent = describe(region);
                const button = row.querySelector("button");
                button.textContent = text("regions.remove");
                button.setAttribute("aria-label", text("regions.removeWhich", { name: region.identifier }));
            },
        });
        none.hidden = regions.length > 0;
    };
    feed.addEventListener("regions", show);
    feed.addEventListener("region", ({ detail: { identifier, event, location } }) => {
        if (!event) return;
        const time = location?.timestamp ? new Date(location.timestamp) : new Date();
        events.prepend(element("li", {}, text(`region.${event}`, {
            name: identifier, time: formatTime(time, { timeStyle: "medium" }),
        })));
        if (events.children.length > EVENT_LIMIT) events.lastElementChild.remove();
    });
    settings.addEventListener("change", show);
    show();
}

/** A region as a shape of the map. */
export function shape({ center, radius, polygon }, className) {
    const options = { className, interactive: false, pane: "accuracy" };
    return center
        ? L.circle([center.latitude, center.longitude], { ...options, radius })
        : L.polygon(polygon.map(({ latitude, longitude }) => [latitude, longitude]), options);
}

function describe({ radius, polygon }) {
    return polygon ? text("regions.polygon", { count: polygon.length }) : text("regions.circle", { radius: formatDistance(radius) });
}

async function remove(identifier) {
    if (!await confirm(text("regions.question", { name: identifier }), text("regions.remove"))) return;
    await post("/regions", { remove: [identifier] });
}
