// "I am here": the access points received now are those at a place that the person shows, by locationd-nearby.

import { call, perform, showNotice } from "./calls.js";
import { confirm } from "./dialog.js";
import { element } from "./dom.js";
import { formatDecimal } from "./coordinates.js";
import { text } from "./text.js";

/** Connects the button that begins, the form, and what came of it, with `map`. */
export function statePlaces(map, begin, form, outcome) {
    const cross = element("div", { class: "cross", "aria-hidden": "true" });
    const middle = form.querySelector("[name=middle]");

    const setStating = (isStating) => {
        form.hidden = !isStating;
        begin.setAttribute("aria-expanded", String(isStating));
        map.getContainer().classList.toggle("drawing", isStating);
        if (isStating) {
            outcome.textContent = "";
            map.on("click", onClick);
            map.getContainer().append(cross);
            middle.focus();
        } else {
            map.off("click", onClick);
            cross.remove();
        }
    };
    const state = (place) => perform(middle, async () => {
        const { lat: latitude, lng: longitude } = place.wrap();
        const position = formatDecimal(latitude, longitude);
        if (!await confirm(text("nearby.question", { position }), text("nearby.here"))) return;
        const { received, added } = await call("nearby.Learn", { latitude, longitude });
        setStating(false);
        outcome.textContent = text("nearby.learned", { received, added });
        begin.focus();
    });
    const onClick = ({ latlng }) => state(latlng);

    begin.addEventListener("click", () => setStating(form.hidden));
    form.addEventListener("submit", (event) => event.preventDefault());
    middle.addEventListener("click", () => state(map.getCenter()));
    form.querySelector("[name=cancel]").addEventListener("click", () => {
        setStating(false);
        showNotice("");
        begin.focus();
    });
}
