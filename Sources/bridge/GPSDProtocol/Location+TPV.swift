@_spi(Programs) import LocationModel

extension Location {
    /// The TPV line, in gpsd's order of members and with its decimals.
    ///
    /// `epx` and `epy` are not standard deviations in gpsd, and lie along the axes; an ellipse that differs is left
    /// out. There is no `ept`, because the receiver's uncertainty of time is not known here.
    func tpvLine(device: String) -> [UInt8] {
        var text = LineText(class: "TPV", capacity: 512)
        text.add("device", device)
        text.add("status", gpsdStatus)
        text.add("mode", mode == .threeDimensional ? 3 : 2)
        text.add("time", timestamp?.gpsdText)
        text.add("lat", coordinate.latitude, places: 9)
        text.add("lon", coordinate.longitude, places: 9)
        text.add("altHAE", ellipsoidalAltitude, places: 4)
        text.add("altMSL", altitude, places: 4)
        text.add("alt", altitude ?? ellipsoidalAltitude, places: 4)
        if let ellipse = errorEllipse, let axes = ellipse.axisErrors {
            text.add("epx", axes.longitude, places: 3)
            text.add("epy", axes.latitude, places: 3)
        }
        text.add("epv", verticalAccuracy, places: 3)
        text.add("track", course?.belowFullCircle(4), places: 4)
        text.add("magtrack", magneticCourse?.belowFullCircle(4), places: 4)
        text.add("magvar", magneticVariation, places: 1)
        text.add("speed", speed, places: 3)
        text.add("climb", climb, places: 3)
        text.add("epd", courseAccuracy, places: 4)
        text.add("eps", speedAccuracy, places: 2)
        text.add("epc", climbAccuracy, places: 2)
        text.add("geoidSep", geoidSeparation, places: 3)
        text.add("eph", horizontalAccuracy, places: 3)
        return text.line()
    }

    /// Clockwise from magnetic north, 0..<360. gpsd 3.22 adds the variation, which is east of true north, where it has
    /// to be subtracted.
    private var magneticCourse: Double? {
        guard let course, let magneticVariation, (0...360).contains(course), (-180...180).contains(magneticVariation)
        else { return nil }
        let turned = (course - magneticVariation).truncatingRemainder(dividingBy: 360)
        return turned < 0 ? turned + 360 : turned
    }

    /// gpsd's number of the kind of fix; `nil` for a plain one, which gpsd does not send either.
    ///
    /// A simulated or replayed location counts as simulated, a written one as surveyed, and one of a network as dead
    /// reckoning, as NMEA 0183's estimated ones do, whatever its augmentation.
    private var gpsdStatus: Int? {
        if source.isSimulated || source.isReplayed { return 8 }
        if source.method == .fixedPosition { return 7 }
        if source.method == .network { return 5 }
        return switch augmentation {
        case nil, .unknown: nil
        case .dgps: 2
        case .rtkFixed: 3
        case .rtkFloat: 4
        case .deadReckoning: 5
        case .gnssDeadReckoning: 6
        case .timeOnly: 7
        case .simulated: 8
        case .precise: 9
        }
    }
}

extension Double {
    /// The same direction, 0 if it would be rounded to 360 at this many decimals, 1 or 4.
    func belowFullCircle(_ places: Int) -> Double {
        self >= (places == 1 ? 359.95 : 359.99995) && self <= 360 ? 0 : self
    }
}

extension UTCTime {
    /// As gpsd writes it; `nil` for what clients take for no time, and for years that they cannot read.
    var gpsdText: String? { seconds > 0 && hasFourDigitYear ? description : nil }
}

extension ErrorEllipse {
    /// The errors in longitude and latitude, if that is what the ellipse says.
    fileprivate var axisErrors: (longitude: Double, latitude: Double)? {
        guard !isStandardDeviation else { return nil }
        if orientation == 0 || semiMajorAxis == semiMinorAxis { return (semiMinorAxis, semiMajorAxis) }
        return orientation == 90 ? (semiMajorAxis, semiMinorAxis) : nil
    }
}
