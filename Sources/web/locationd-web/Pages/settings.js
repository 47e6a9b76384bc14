// What the person chose: units and language, kept by the browser.

const CHOICES = { units: ["metric", "imperial", "nautical"], language: ["en", "de"] };

class Settings extends EventTarget {
    #values = {
        units: "metric",
        language: navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => CHOICES.language.includes(tag)) ?? "en",
    };

    constructor() {
        super();
        for (const [name, choices] of Object.entries(CHOICES)) {
            const kept = recall(name);
            if (choices.includes(kept)) this.#values[name] = kept;
        }
    }

    get units() { return this.#values.units; }
    get language() { return this.#values.language; }

    /** Keeps a choice. */
    choose(name, value) {
        this.#values[name] = value;
        try {
            localStorage.setItem(name, value);
        } catch {
            // The browser keeps nothing in this window; the choice holds until it is closed.
        }
    }

    /** Dispatches "change", after which each view is drawn anew: once the texts of the language are there. */
    announce() {
        this.dispatchEvent(new Event("change"));
    }
}

function recall(name) {
    try {
        return localStorage.getItem(name);
    } catch {
        return null;
    }
}

export const settings = new Settings();
