// The map without the position: coasts and borders, a grid of degrees, and images where there are any.

import * as L from "/leaflet/leaflet.esm.min.js";
import { showGraticule } from "./graticule.js";
import { settings } from "./settings.js";
import { text } from "./text.js";
import { showWorld } from "./world.js";

/** A map in `container`, with the images that the session names. Views are added by the caller. */
export function makeMap(container, { tiles, maps, hasBorders }) {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const map = L.map(container, {
        zoomAnimation: !isStill, fadeAnimation: !isStill, markerZoomAnimation: !isStill, inertia: !isStill,
        worldCopyJump: true, maxZoom: 19, minZoom: 1, zoomControl: false,
    });
    map.attributionControl.setPrefix(false);
    map.setView([20, 0], 2);
    map.createPane("base").style.zIndex = 150;
    map.createPane("accuracy").style.zIndex = 410;
    const noteZoom = () => { container.dataset.zoom = map.getZoom(); };
    map.on("zoomend", noteZoom);
    noteZoom();
    addControls(map);
    const hasImages = addImages(map, tiles, maps ?? []);
    showGraticule(map);
    if (hasBorders) showWorld(map, hasImages);
    return map;
}

/** The zoom buttons and the scale, in the person's language and units. */
function addControls(map) {
    let controls = [];
    const add = () => {
        controls.forEach((control) => control.remove());
        const isMetric = settings.units !== "imperial";
        controls = [
            L.control.zoom({ zoomInTitle: text("map.zoomIn"), zoomOutTitle: text("map.zoomOut") }),
            L.control.scale({ metric: isMetric, imperial: !isMetric }),
        ].map((control) => control.addTo(map));
    };
    settings.addEventListener("change", add);
    add();
}

/** The images of this machine, and those of the network; where there are several, the person chooses. Says whether there are any. */
function addImages(map, tiles, maps) {
    const layers = maps.map(({ name, minimumZoom, maximumZoom, attribution }) => [name,
        L.tileLayer(`/tiles/${encodeURIComponent(name)}/{z}/{x}/{y}`, {
            minZoom: minimumZoom, maxNativeZoom: maximumZoom, maxZoom: 19, attribution: escape(attribution ?? ""),
        })]);
    if (tiles) layers.push([new URL(tiles.url).hostname, L.tileLayer(tiles.url, { attribution: escape(tiles.attribution), maxZoom: 19 })]);
    layers[0]?.[1].addTo(map);
    if (layers.length > 1) {
        const choices = Object.fromEntries(layers.map(([name, layer]) => [escape(name), layer]));
        L.control.layers(choices, {}, { collapsed: false, position: "bottomright" }).addTo(map);
    }
    return layers.length > 0;
}

/** Leaflet shows attributions and names of layers as HTML; they are text here. */
function escape(words) {
    return words.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
