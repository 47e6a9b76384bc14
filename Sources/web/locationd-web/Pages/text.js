// The texts of the page in the chosen language. Each language is one file of text/, all with the same keys.

import { settings } from "./settings.js";

let texts = {};

export async function loadTexts() {
    const reply = await fetch(`/text/${settings.language}.json`);
    if (!reply.ok) throw new Error(`The texts cannot be loaded: ${reply.status}`);
    texts = await reply.json();
    document.documentElement.lang = settings.language;
}

/** The text under a key, with "{name}" replaced by the value of that name. */
export function text(key, values = {}) {
    const pattern = texts[key] ?? key;
    return pattern.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** The text under "prefix.value", or the value itself where this page does not know it yet. */
export function word(prefix, value) {
    return texts[`${prefix}.${value}`] ?? String(value);
}

/** Writes the texts that the document names by data-text, and the labels that it names by data-label. */
export function translate(root = document) {
    for (const node of root.querySelectorAll("[data-text]")) node.textContent = text(node.dataset.text);
    for (const node of root.querySelectorAll("[data-label]")) node.setAttribute("aria-label", text(node.dataset.label));
}

export function formatNumber(value, digits = 0) {
    return new Intl.NumberFormat(settings.language, {
        minimumFractionDigits: digits, maximumFractionDigits: digits,
    }).format(value);
}

/** A moment in the browser's time zone. */
export function formatTime(date, style = { dateStyle: "medium", timeStyle: "medium" }) {
    return Number.isNaN(date.getTime()) ? text("unknown") : new Intl.DateTimeFormat(settings.language, style).format(date);
}

/** A length of time in the two largest of its units. */
export function formatDuration(seconds) {
    const whole = Math.max(0, Math.floor(seconds));
    const parts = [["d", Math.floor(whole / 86400)], ["h", Math.floor(whole / 3600) % 24],
        ["min", Math.floor(whole / 60) % 60], ["s", whole % 60]];
    const first = parts.findIndex(([, value]) => value > 0);
    if (first < 0) return "0 s";
    return parts.slice(first, first + 2).filter(([, value], index) => index === 0 || value > 0)
        .map(([unit, value]) => `${value} ${unit}`).join(" ");
}
