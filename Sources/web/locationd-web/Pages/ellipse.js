// The ellipse that contains the position, for the map: pure functions.

/** Standard deviations of an ellipse that contains a position with 95 per cent: the square root of -2 ln 0.05. */
const DEVIATIONS = 2.4477;
const CORNERS = 72;

/** Its semi-axes in metres; where the receiver says nothing of its certainty, they are left as they are. */
export function axes({ semiMajorAxis, semiMinorAxis, isStandardDeviation }) {
    const factor = isStandardDeviation ? DEVIATIONS : 1;
    return [semiMajorAxis * factor, semiMinorAxis * factor];
}

/** Its corners as [latitude, longitude]; `orientation` of the longer axis is in degrees from north, clockwise. */
export function outline({ latitude, longitude, errorEllipse }) {
    const [longer, shorter] = axes(errorEllipse);
    const turn = errorEllipse.orientation * Math.PI / 180;
    // A degree of longitude has no length at a pole.
    const eastward = 111_195 * Math.max(Math.cos(latitude * Math.PI / 180), 0.01);
    return Array.from({ length: CORNERS }, (_, index) => {
        const angle = 2 * Math.PI * index / CORNERS;
        const [along, across] = [longer * Math.cos(angle), shorter * Math.sin(angle)];
        const north = along * Math.cos(turn) - across * Math.sin(turn);
        const east = along * Math.sin(turn) + across * Math.cos(turn);
        return [latitude + north / 111_195, longitude + east / eastward];
    });
}
