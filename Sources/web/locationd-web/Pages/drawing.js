// Drawing a region: corners are clicked on the map, or taken from its middle, which the keyboard moves.

import * as L from "/leaflet/leaflet.esm.min.js";
import { perform, post, showNotice } from "./calls.js";
import { element } from "./dom.js";
import { feed } from "./feed.js";
import { shape } from "./regions.js";
import { settings } from "./settings.js";
import { text } from "./text.js";
import { formatDistance, lengthScale } from "./units.js";

/** Metres of a new circle. */
const RADIUS = 200;
/** Metres that the daemon takes as a radius. */
const [LEAST_RADIUS, LARGEST_RADIUS] = [1, 10_000_000];
/** Bytes that the daemon takes as a name. */
const NAME_LIMIT = 256;

/** Connects the button that begins to draw, and the form, with `map`. */
export function drawRegions(map, begin, form) {
    const field = (name) => form.elements.namedItem(name);
    const preview = L.layerGroup().addTo(map);
    const cross = element("div", { class: "cross", "aria-hidden": "true" });
    let points = [];

    const isCircle = () => field("shape").value === "circle";
    const metres = () => Number(field("radius").value) / lengthScale().factor;
    const setRadius = (value) => { field("radius").value = String(Math.round(value * lengthScale().factor)); };
    const show = () => {
        form.querySelector(".radius").hidden = !isCircle();
        form.querySelector(".unit").textContent = lengthScale().unit;
        form.querySelector(".hint").textContent = text(isCircle() ? "drawing.circleHint" : "drawing.polygonHint", { count: points.length });
        form.querySelector("[name=undo]").disabled = points.length === 0;
        preview.clearLayers();
        for (const point of points) {
            preview.addLayer(L.circleMarker([point.latitude, point.longitude], { radius: 4, className: "drawn", interactive: false }));
        }
        if (isComplete()) preview.addLayer(shape(region(), "drawn"));
    };
    const isComplete = () => isCircle() ? points.length === 1 && metres() > 0 : points.length >= 3;
    const region = () => ({
        identifier: field("name").value.trim(),
        ...(isCircle() ? { center: points[0], radius: metres() } : { polygon: points }),
    });
    const add = ({ lat, lng }) => {
        const wrapped = L.latLng(lat, lng).wrap();
        const point = { latitude: Math.max(-90, Math.min(90, wrapped.lat)), longitude: wrapped.lng };
        points = isCircle() ? [point] : [...points, point];
        show();
    };
    const onClick = ({ latlng }) => add(latlng);
    const setDrawing = (isDrawing) => {
        form.hidden = !isDrawing;
        begin.setAttribute("aria-expanded", String(isDrawing));
        map.getContainer().classList.toggle("drawing", isDrawing);
        points = [];
        if (isDrawing) {
            map.on("click", onClick);
            map.getContainer().append(cross);
            setRadius(RADIUS);
            show();
            field("name").focus();
        } else {
            map.off("click", onClick);
            cross.remove();
            preview.clearLayers();
            form.reset();
        }
    };
    const save = async () => {
        const drawn = region();
        if (drawn.identifier === "") throw new Error(text("drawing.noName"));
        if (new TextEncoder().encode(drawn.identifier).length > NAME_LIMIT) throw new Error(text("drawing.longName"));
        if (feed.regions?.regions.some(({ identifier }) => identifier === drawn.identifier)) throw new Error(text("drawing.sameName"));
        if (isCircle() && !(metres() >= LEAST_RADIUS && metres() <= LARGEST_RADIUS)) {
            throw new Error(text("drawing.radiusRange", { least: formatDistance(LEAST_RADIUS), most: formatDistance(LARGEST_RADIUS) }));
        }
        if (!isComplete()) throw new Error(text(isCircle() ? "drawing.noCenter" : "drawing.fewCorners"));
        await post("/regions", { add: [drawn] });
        setDrawing(false);
        begin.focus();
    };

    begin.addEventListener("click", () => setDrawing(form.hidden));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        perform(form.querySelector("[type=submit]"), save);
    });
    form.querySelector("[name=middle]").addEventListener("click", () => add(map.getCenter()));
    form.querySelector("[name=undo]").addEventListener("click", () => {
        points = points.slice(0, -1);
        show();
    });
    form.querySelector("[name=cancel]").addEventListener("click", () => {
        setDrawing(false);
        showNotice("");
        begin.focus();
    });
    for (const radio of form.querySelectorAll("[name=shape]")) {
        radio.addEventListener("change", () => {
            points = [];
            show();
        });
    }
    field("radius").addEventListener("input", show);
    settings.addEventListener("change", () => {
        if (form.hidden) return;
        setRadius(RADIUS);
        show();
    });
}
