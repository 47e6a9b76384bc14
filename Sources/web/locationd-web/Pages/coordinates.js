// A position as text: pure functions of latitude and longitude in degrees (WGS 84). Their decimal sign is the point in
// every language, so that what is copied can be pasted into other programs.

/** "48.858400, 2.294500": six decimals are a tenth of a metre. */
export function formatDecimal(latitude, longitude) {
    return `${fixed(latitude, 6)}, ${fixed(longitude, 6)}`;
}

/** "48° 51′ 30.24″ N, 2° 17′ 40.20″ E". */
export function formatDMS(latitude, longitude) {
    return `${angle(latitude, "N", "S")}, ${angle(longitude, "E", "W")}`;
}

function angle(value, positive, negative) {
    // Rounded before it is split, so that 59.999″ carries into the minutes.
    const hundredths = Math.round(Math.abs(value) * 360000);
    const seconds = (hundredths % 6000) / 100;
    const minutes = Math.floor(hundredths / 6000) % 60;
    const degrees = Math.floor(hundredths / 360000);
    const side = value < 0 && hundredths > 0 ? negative : positive;
    return `${degrees}° ${pad(minutes)}′ ${seconds.toFixed(2).padStart(5, "0")}″ ${side}`;
}

/** The Maidenhead locator with eight characters, such as "JN18du53": 30″ of longitude by 15″ of latitude. */
export function formatMaidenhead(latitude, longitude) {
    // In extended squares, 120 and 240 to a degree. A border belongs to the square north and east of it, in spite of the
    // last bit of a product.
    const east = Math.floor(wrap(longitude) * 120 + 1e-7) % 43200;
    const north = Math.min(Math.floor((latitude + 90) * 240 + 1e-7), 43199);
    const upper = (index) => String.fromCharCode(65 + index);
    const pair = (size, count, letter) => [east, north].map((value) => letter(Math.floor(value / size) % count)).join("");
    return pair(2400, 18, upper) + pair(240, 10, String) + pair(10, 24, upper).toLowerCase() + pair(1, 10, String);
}

/** Degrees east of the antimeridian, 0 to below 360. */
function wrap(longitude) {
    return ((longitude + 180) % 360 + 360) % 360;
}

function fixed(value, digits) {
    const written = value.toFixed(digits);
    return Number(written) === 0 ? (0).toFixed(digits) : written;
}

function pad(value) {
    return String(value).padStart(2, "0");
}
