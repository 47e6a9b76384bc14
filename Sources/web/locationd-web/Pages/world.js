// Coasts, borders and names of places from the geodata package, below everything else, at the zooms to which they are exact.

import * as L from "/leaflet/leaflet.esm.min.js";

/** The largest zoom of coarse shapes, of the detailed ones, and of names that have room; as geodata/map.py makes them. */
const [COARSE_ZOOM, DETAILED_ZOOM, NAMED_ZOOM] = [4, 9, 8];
const ATTRIBUTION = "Natural Earth, GeoNames (CC BY 4.0)";
/** What stands for the colours of each kind, in the style sheet. */
const STYLES = {
    land: { stroke: "--border", fill: "--land", weight: 1 },
    lake: { stroke: "--border", fill: "--sea", weight: 0.5 },
    country: { stroke: "--faint", weight: 1.5 },
    province: { stroke: "--border", weight: 1 },
};

const files = new Map();

/** What is in a file, or null where it cannot be had. */
function load(name) {
    if (!files.has(name)) {
        files.set(name, fetch(`/base/${name}.geojson`).then((reply) => reply.ok ? reply.json() : null).catch(() => null));
    }
    return files.get(name);
}

/** Draws the shapes on `map`, and the names unless it has images, which have names of their own. */
export function showWorld(map, hasImages) {
    map.createPane("world").style.zIndex = 140;
    showShapes(map);
    if (hasImages) return;
    const pane = map.createPane("places");
    pane.style.zIndex = 210;
    // Dozens of names between the map and what stands after it would only be in the way of who listens.
    pane.setAttribute("aria-hidden", "true");
    showNames(map);
}

function showShapes(map) {
    const renderer = L.canvas({ pane: "world" });
    const layers = new Map();
    let shown;
    const show = async () => {
        const name = shapesAt(map.getZoom());
        const data = name && await load(name);
        // The zoom may be another one by now.
        if (name !== shapesAt(map.getZoom())) return;
        if (data && !layers.has(name)) layers.set(name, makeShapes(data, renderer));
        const layer = data ? layers.get(name) : undefined;
        if (layer === shown) return;
        shown?.remove();
        layer?.addTo(map);
        shown = layer;
        if (layer) {
            map.getContainer().dataset.base = name;
            map.attributionControl.addAttribution(ATTRIBUTION);
        } else {
            delete map.getContainer().dataset.base;
        }
    };
    map.on("zoomend", show);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        const looks = Object.fromEntries(Object.keys(STYLES).map((kind) => [kind, style(kind)]));
        for (const layer of layers.values()) layer.eachLayer((part) => part.setStyle(looks[part.options.kind]));
    });
    show();
}

/** Nothing is drawn at zooms at which a coast would be off by more than some pixels. */
function shapesAt(zoom) {
    if (zoom > DETAILED_ZOOM) return undefined;
    return zoom > COARSE_ZOOM ? "detailed" : "world";
}

/** Each part is a layer of its own, so that those out of view are not drawn. */
function makeShapes({ features }, renderer) {
    const group = L.layerGroup();
    for (const { properties: { kind }, geometry } of features) {
        const isArea = geometry.type === "MultiPolygon";
        const options = { renderer, pane: "world", interactive: false, kind, ...style(kind) };
        for (const part of geometry.coordinates) {
            const points = L.GeoJSON.coordsToLatLngs(part, isArea ? 1 : 0);
            group.addLayer(isArea ? L.polygon(points, options) : L.polyline(points, options));
        }
    }
    return group;
}

function style(kind) {
    const value = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const { stroke, fill, weight } = STYLES[kind];
    return { color: value(stroke), weight, fillColor: fill && value(fill), fillOpacity: 1 };
}

async function showNames(map) {
    const data = await load("places");
    if (data === null) return;
    const shown = new Map();
    const show = () => {
        const zoom = Math.min(map.getZoom(), NAMED_ZOOM);
        const bounds = map.getBounds().pad(0.2);
        for (const [place, marker] of shown) {
            if (isShown(place, zoom, bounds)) continue;
            marker.remove();
            shown.delete(place);
        }
        for (const place of data.features) {
            if (!shown.has(place) && isShown(place, zoom, bounds)) shown.set(place, makeName(place).addTo(map));
        }
    };
    map.attributionControl.addAttribution(ATTRIBUTION);
    map.on("moveend", show);
    show();
}

function isShown({ properties, geometry: { coordinates: [longitude, latitude] } }, zoom, bounds) {
    return properties.zoom <= zoom && bounds.contains([latitude, longitude]);
}

function makeName({ properties: { name }, geometry: { coordinates: [longitude, latitude] } }) {
    const label = document.createElement("span");
    label.textContent = name;
    return L.marker([latitude, longitude], {
        pane: "places", interactive: false, keyboard: false,
        icon: L.divIcon({ className: "place", html: label, iconSize: [4, 4] }),
    });
}
