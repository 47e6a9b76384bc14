// A question before something that others notice.

import { element } from "./dom.js";
import { text } from "./text.js";

/** Asks in a dialog of the page; the button that does it has the words of `action`. Resolves to whether it was chosen. */
export function confirm(question, action) {
    return new Promise((resolve) => {
        const dialog = element("dialog", { "aria-labelledby": "question" },
            element("form", { method: "dialog" },
                element("p", { id: "question" }, question),
                element("div", { class: "buttons" },
                    element("button", { type: "submit", value: "no", autofocus: true }, text("cancel")),
                    element("button", { type: "submit", value: "yes", class: "danger" }, action))));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes");
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}
