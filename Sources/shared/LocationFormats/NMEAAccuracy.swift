import Glibc
@_spi(Programs) import LocationModel

extension Location {
    /// The GST sentence: time, RMS of the ranges' residuals, the error's ellipse (half axes and direction of the longer
    /// one), and the errors of latitude, longitude and height; empty if no accuracy is known.
    ///
    /// All are metres, of one standard deviation (NMEA 0183, GST; gpsd's description of it says the same: "Standard
    /// deviation (meters) of semi-major axis of error ellipse" and so on). Of an ellipse in standard deviations those
    /// of latitude and longitude are computed. The certainty of the other accuracies is the receiver's own, and
    /// unknown, see ``ErrorEllipse/isStandardDeviation``: they are written as they are, and the radius of a circle for
    /// both directions, so that no reader takes the position for better than is known. The RMS is not known, nor is the
    /// ellipse of a circle.
    func nmeaGST(_ talker: String) -> String {
        let (north, east) = nmeaDeviations
        let errors = [
            NMEAFields.error(errorEllipse?.semiMajorAxis), NMEAFields.error(errorEllipse?.semiMinorAxis),
            NMEAFields.number(errorEllipse?.orientation, in: 0...180, decimals: 1), NMEAFields.error(north),
            NMEAFields.error(east), NMEAFields.error(verticalAccuracy),
        ]
        guard errors.contains(where: { !$0.isEmpty }) else { return "" }
        return NMEASentence.framed([talker + "GST", NMEAFields.time(timestamp), ""] + errors)
    }

    /// The errors of latitude and of longitude, metres.
    private var nmeaDeviations: (north: Double?, east: Double?) {
        guard let ellipse = errorEllipse else { return (horizontalAccuracy, horizontalAccuracy) }
        let angle = ellipse.orientation * .pi / 180
        let (major, minor) = (ellipse.semiMajorAxis, ellipse.semiMinorAxis)
        return (
            hypot(major * cos(angle), minor * sin(angle)), hypot(major * sin(angle), minor * cos(angle))
        )
    }
}
