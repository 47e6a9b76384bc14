// The grids of UTM, UPS and MGRS on WGS 84: pure functions of latitude and longitude in degrees.
//
// The transverse Mercator projection is Krüger's series to the fourth order, which is right to less than a millimetre within
// a zone. The zones' exceptions and the letters are those of NGA.STND.0037 (grids) and NGA.SIG.0012 (projections).

const A = 6378137;
const F = 1 / 298.257223563;
const N = F / (2 - F);
const E = Math.sqrt(F * (2 - F));
const RECTIFYING_RADIUS = A / (1 + N) * (1 + N ** 2 / 4 + N ** 4 / 64);
const ALPHA = [
    N / 2 - 2 * N ** 2 / 3 + 5 * N ** 3 / 16 + 41 * N ** 4 / 180,
    13 * N ** 2 / 48 - 3 * N ** 3 / 5 + 557 * N ** 4 / 1440,
    61 * N ** 3 / 240 - 103 * N ** 4 / 140,
    49561 * N ** 4 / 161280,
];
const BANDS = "CDEFGHJKLMNPQRSTUVWX";
const ROWS = "ABCDEFGHJKLMNPQRSTUV";
const COLUMNS = ["ABCDEFGH", "JKLMNPQR", "STUVWXYZ"];
// UPS: the first square's number, the rows, and the columns west and east of 0°/180°, for south and north.
const POLAR = {
    south: { first: 8, rows: "ABCDEFGHJKLMNPQRSTUVWXYZ", columns: ["JKLPQRSTUXYZ", "ABCFGHJKLPQR"], zones: "AB" },
    north: { first: 13, rows: "ABCDEFGHJKLMNP", columns: ["RSTUXYZ", "ABCFGHJ"], zones: "YZ" },
};

/** "31U 448252 E 5411943 N", near the poles "Z 2000000 E 2000000 N" (UPS). */
export function formatUTM(latitude, longitude) {
    const { zone, band, easting, northing } = project(latitude, longitude);
    return `${designate(zone)}${band} ${Math.floor(easting)} E ${Math.floor(northing)} N`;
}

/** "31U DQ 48252 11943": the square of one metre that the position is in. */
export function formatMGRS(latitude, longitude) {
    const { zone, band, easting, northing, pole } = project(latitude, longitude);
    const column = Math.floor(easting / 100000);
    const row = Math.floor(northing / 100000);
    const letters = pole
        ? pole.columns[column < 20 ? 0 : 1][column < 20 ? column - pole.first : column - 20] + pole.rows[row - pole.first]
        : COLUMNS[(zone - 1) % 3][column - 1] + ROWS[(row + (zone % 2 === 0 ? 5 : 0)) % 20];
    const digits = (value) => String(Math.floor(value) % 100000).padStart(5, "0");
    return `${designate(zone)}${band} ${letters} ${digits(easting)} ${digits(northing)}`;
}

function designate(zone) {
    return zone === undefined ? "" : String(zone).padStart(2, "0");
}

function project(latitude, longitude) {
    const east = ((longitude + 180) % 360 + 360) % 360 - 180;
    if (latitude < -80 || latitude >= 84) return projectPolar(latitude, east);
    const zone = utmZone(latitude, east);
    const { x, y } = transverseMercator(latitude, east - (zone * 6 - 183));
    // A northing below 0.5 mm of the equator's is one of 10,000,000 m, which the grid does not have.
    const northing = latitude < 0 ? Math.min(1e7 + y, 1e7 - 1e-3) : y;
    return { zone, band: BANDS[Math.min(Math.floor(latitude / 8) + 10, 19)], easting: 500000 + x, northing };
}

function utmZone(latitude, longitude) {
    if (latitude >= 56 && latitude < 64 && longitude >= 3 && longitude < 12) return 32;
    if (latitude >= 72 && longitude >= 0 && longitude < 42) {
        if (longitude < 9) return 31;
        if (longitude < 21) return 33;
        return longitude < 33 ? 35 : 37;
    }
    return Math.floor((longitude + 180) / 6) + 1;
}

/** Metres east and north of the central meridian at the equator. */
function transverseMercator(latitude, fromMeridian) {
    const sine = Math.sin(radians(latitude));
    const t = Math.sinh(Math.atanh(sine) - E * Math.atanh(E * sine));
    const lambda = radians(fromMeridian);
    const xi = Math.atan2(t, Math.cos(lambda));
    const eta = Math.asinh(Math.sin(lambda) / Math.hypot(t, Math.cos(lambda)));
    let x = eta;
    let y = xi;
    ALPHA.forEach((alpha, index) => {
        const k = 2 * (index + 1);
        x += alpha * Math.cos(k * xi) * Math.sinh(k * eta);
        y += alpha * Math.sin(k * xi) * Math.cosh(k * eta);
    });
    return { x: 0.9996 * RECTIFYING_RADIUS * x, y: 0.9996 * RECTIFYING_RADIUS * y };
}

/** Universal polar stereographic. */
function projectPolar(latitude, longitude) {
    const isNorth = latitude > 0;
    const pole = isNorth ? POLAR.north : POLAR.south;
    const phi = radians(Math.abs(latitude));
    const sine = Math.sin(phi);
    const t = Math.tan(Math.PI / 4 - phi / 2) * ((1 + E * sine) / (1 - E * sine)) ** (E / 2);
    const rho = 2 * A * 0.994 * t / Math.sqrt((1 + E) ** (1 + E) * (1 - E) ** (1 - E));
    const lambda = radians(longitude);
    const easting = 2e6 + rho * Math.sin(lambda);
    const northing = 2e6 + rho * Math.cos(lambda) * (isNorth ? -1 : 1);
    return { band: pole.zones[easting < 2e6 ? 0 : 1], easting, northing, pole };
}

function radians(degrees) {
    return degrees * Math.PI / 180;
}
