// Elements of the page. What others wrote (names, purposes, labels, reasons) enters the page as text alone: nothing here
// or elsewhere parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes (a function under "on…" listens to that event) and children (nodes or strings). */
export function element(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (typeof value === "function") node.addEventListener(name.slice(2), value);
        else node.setAttribute(name, value === true ? "" : String(value));
    }
    node.append(...children.filter((child) => child !== undefined && child !== null));
    return node;
}

/** Replaces a text only if it differs, so that a live region speaks once for each change. */
export function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/**
 * Makes the rows of a table's body those of `items`. A row that stays is kept with its buttons, so that a refresh takes
 * the focus from nobody; its cells are written anew by `update`, and know their column's head for where it is not seen.
 */
export function updateRows(body, items, { key, make, update }) {
    const head = body.closest("table")?.tHead.rows[0];
    const present = new Map([...body.children].map((row) => [row.dataset.key, row]));
    const wanted = items.map((item) => {
        const name = String(key(item));
        const row = present.get(name) ?? make(item);
        row.dataset.key = name;
        present.delete(name);
        update?.(row, item);
        if (head) [...row.cells].forEach((cell, index) => { cell.dataset.column = head.cells[index].textContent; });
        return row;
    });
    for (const row of present.values()) row.remove();
    wanted.forEach((row, index) => {
        if (body.children[index] !== row) body.insertBefore(row, body.children[index] ?? null);
    });
}
