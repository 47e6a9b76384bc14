import LocationModel

extension Location {
    /// The RMC sentence: time, position, speed in knots, course, date, magnetic variation, mode.
    ///
    /// The status is `A` always, for estimated, manual and simulated positions too: the mode tells them apart, whereas
    /// readers take `V` for no position at all.
    var nmeaRMC: String {
        // A knot is 1852 metres per hour.
        let knots = NMEAFields.number(speed.map { $0 * 3600 / 1852 }, in: 0...99_999, decimals: 2)
        let track = course?.fullCircleDegrees?.fixedDecimal(places: 2) ?? ""
        return NMEASentence.fitting { decimals in
            ["GNRMC", NMEAFields.time(timestamp), "A"]
                + NMEAFields.position(coordinate, minuteDecimals: decimals)
                + [knots, track == "360.00" ? "0.00" : track, NMEAFields.date(timestamp)]
                + variation
                + [NMEAQuality(of: self).mode]
        }
    }

    private var variation: [String] {
        guard let degrees = magneticVariation?.halfCircleDegrees, let text = degrees.magnitude.fixedDecimal(places: 1)
        else { return ["", ""] }
        return [text, degrees < 0 && text != "0.0" ? "W" : "E"]
    }
}
