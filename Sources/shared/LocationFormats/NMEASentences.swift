@_spi(Programs) package import LocationModel

/// NMEA 0183: GGA, RMC and GSA per location, GST where an accuracy is known, and GSV per view of the sky.
///
/// The talker is that of the one system whose satellites are used, or `GN` for several. It is `GP` where no used
/// satellite is known, as gpsd writes it: programs compare `$GPRMC` and `$GPGGA` literally.
///
/// GGA and RMC come first: readers such as GeoClue make a location of these two if they read both at once. All with a
/// time have the same, by which readers such as gpsd recognize that they belong together. For a location without
/// timestamp, time and date are empty. Readers handle that differently: gpsd reports position, speed and course without
/// a time; others may ignore an RMC without a date. GSA says whether there is a fix: without it QGIS takes the empty
/// position of the other two for 0° N 0° E.
///
/// A location's GSA has the satellites that were used at the latest view of the sky, because views and locations come
/// apart.
package struct NMEASentences: LocationFormat {
    /// For a reader who may know the position with reduced accuracy only: there is no GST, and neither dilutions nor
    /// satellites in GSA.
    package var isReduced = false
    /// Whether GGA has a dilution in any case, see ``LocationModel/Location/statingHDOP``.
    private let statesHDOP: Bool
    private var sky: (satellites: NMEASky, time: BootInstant)?
    /// The receiver and the time of the latest location.
    private var latest: (source: SourceInformation, time: BootInstant)?

    package init(statesHDOP: Bool = false) {
        self.statesHDOP = statesHDOP
    }

    package var opening: String { "" }

    package mutating func record(for location: Location) -> String {
        if let latest, latest.source != location.source { sky = nil }
        if let time = sky?.time, location.monotonicTime.seconds(since: time).magnitude >= Self.skyLifetime { sky = nil }
        latest = (location.source, location.monotonicTime)
        return location.nmeaSentences(
            sky: sky?.satellites ?? NMEASky([]), isReduced: isReduced, statesHDOP: statesHDOP)
    }

    /// Seconds after which a view of the sky says nothing about a location any more; receivers have one in five
    /// seconds, and more often.
    private static let skyLifetime = 10.0

    /// The satellites in view, and those of them that the next locations have in GSA; nothing for a reader who may not
    /// know.
    package mutating func record(for satellites: [Satellite]) -> String {
        guard !isReduced else { return "" }
        let view = NMEASky(satellites)
        sky = latest.map { (view, $0.time) }
        return view.sentences
    }

    /// The satellites of before are forgotten.
    package mutating func interrupt() {
        (sky, latest) = (nil, nil)
    }

    package var closing: String { "" }

    /// The sentences of a location of which nothing else is known.
    package static func record(for location: Location) -> String {
        var sentences = NMEASentences()
        return sentences.record(for: location)
    }

    /// The sentences that report no fix: GGA of quality 0, RMC of status `V`, and GSA of mode 1, all else empty.
    package static let noFix =
        NMEASentence.framed(["GPGGA", "", "", "", "", "", "0"] + Array(repeating: "", count: 8))
        + NMEASentence.framed(["GPRMC", "", "V"] + Array(repeating: "", count: 9) + ["N"])
        + NMEASentence.framed(["GPGSA", "A", "1"] + Array(repeating: "", count: NMEASky.room + 3))
}

extension Location {
    fileprivate func nmeaSentences(sky: NMEASky, isReduced: Bool, statesHDOP: Bool) -> String {
        let sky = isReduced ? NMEASky([]) : sky
        let pair = (statesHDOP ? statingHDOP : self).nmeaGGA(sky.talker) + nmeaRMC(sky.talker)
        if isReduced {
            var plain = self
            (plain.hdop, plain.vdop, plain.pdop) = (nil, nil, nil)
            return pair + plain.nmeaGSA(sky)
        }
        return pair + nmeaGSA(sky) + nmeaGST(sky.talker)
    }
}

/// The frame of an NMEA 0183 sentence: `$`, the fields, `*`, the checksum, CR LF.
enum NMEASentence {
    /// The standard's limit, with `$` and CR LF.
    static let longest = 82
    /// The number of decimals of minutes: 6 are 2 mm, 5 are 2 cm, 4 are 19 cm.
    private static let minuteDecimals = 4...6

    /// The sentence with as many decimals of minutes as its maximum length allows.
    static func fitting(_ fields: (_ minuteDecimals: Int) -> [String]) -> String {
        var decimals = minuteDecimals.upperBound
        var sentence = framed(fields(decimals))
        while sentence.utf8.count > longest, decimals > minuteDecimals.lowerBound {
            decimals -= 1
            sentence = framed(fields(decimals))
        }
        return sentence
    }

    /// The fields as a sentence. The checksum is the exclusive or of all bytes between `$` and `*`.
    static func framed(_ fields: [String]) -> String {
        let body = fields.joined(separator: ",")
        let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$" + body + (checksum.utf8.count < 2 ? "*0" : "*") + checksum + "\r\n"
    }
}

extension Location {
    /// The GGA sentence: time, position, quality, satellites, HDOP, altitude above mean sea level, geoid separation.
    /// Age and station of differential corrections are not known.
    func nmeaGGA(_ talker: String) -> String {
        // Only satellites have an altitude of six digits before the point; centimetres would not fit, nor matter.
        let metres = altitude ?? 0
        let height = NMEAFields.number(
            altitude, in: -99_999_999...99_999_999, decimals: metres.magnitude < 99_999 ? 2 : 0)
        let separation = NMEAFields.number(usedGeoidSeparation, in: -999...999, decimals: 2)
        return NMEASentence.fitting { decimals in
            [talker + "GGA", NMEAFields.time(timestamp)]
                + NMEAFields.position(coordinate, minuteDecimals: decimals)
                + [
                    String(NMEAQuality(of: self).indicator), satellites,
                    NMEAFields.dilution(hdop),
                    height, height.isEmpty ? "" : "M", separation, separation.isEmpty ? "" : "M", "", "",
                ]
        }
    }

    private var satellites: String {
        satellitesUsed.map { $0 < 0 ? "" : zeroPadded(min($0, 99), 2) } ?? ""
    }
}

extension Location {
    /// The RMC sentence: time, position, speed in knots, course, date, magnetic variation, mode.
    ///
    /// The status is always `A`, for estimated, manual and simulated positions too: the mode distinguishes them,
    /// whereas readers take `V` for no position at all.
    func nmeaRMC(_ talker: String) -> String {
        // A knot is 1852 metres per hour.
        let knots = NMEAFields.number(speed.map { $0 * 3600 / 1852 }, in: 0...99_999, decimals: 2)
        let track = course?.fullCircleDegrees?.fixedDecimal(places: 2) ?? ""
        return NMEASentence.fitting { decimals in
            [talker + "RMC", NMEAFields.time(timestamp), "A"]
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

/// The parts of sentences that GGA and RMC share. A value that is absent, or exceeds its field, is empty.
enum NMEAFields {
    /// Latitude, `N` or `S`, longitude, `E` or `W`: `ddmm.mmmmmm,N,dddmm.mmmmmm,E`.
    static func position(_ coordinate: Coordinate, minuteDecimals: Int) -> [String] {
        angle(coordinate.latitude, degreeDigits: 2, minuteDecimals, "N", "S")
            + angle(coordinate.longitude, degreeDigits: 3, minuteDecimals, "E", "W")
    }

    /// Degrees and minutes are split after rounding, so that 60 minutes never appear.
    private static func angle(
        _ degrees: Double, degreeDigits: Int, _ decimals: Int, _ positive: String, _ negative: String
    ) -> [String] {
        let minute = powerOfTen(decimals)
        let units = Int64((degrees.magnitude * 60 * Double(minute)).rounded())
        let rest = units % (60 * minute)
        let text =
            zeroPadded(units / (60 * minute), degreeDigits) + zeroPadded(rest / minute, 2) + "."
            + zeroPadded(rest % minute, decimals)
        return [text, degrees < 0 && units > 0 ? negative : positive]
    }

    /// Time of day, UTC: `hhmmss.ss`, with a third decimal only if it is not zero.
    static func time(_ timestamp: UTCTime?) -> String {
        guard let moment = timestamp?.writable else { return "" }
        let second = secondOfDay(moment)
        let milliseconds = Int(moment.nanoseconds) / 1_000_000
        let fraction =
            milliseconds % 10 == 0 ? zeroPadded(milliseconds / 10, 2) : zeroPadded(milliseconds, 3)
        return zeroPadded(second / 3600, 2) + zeroPadded(second / 60 % 60, 2) + zeroPadded(second % 60, 2) + "."
            + fraction
    }

    /// The day, UTC: `ddmmyy`.
    static func date(_ timestamp: UTCTime?) -> String {
        guard let moment = timestamp?.writable else { return "" }
        let date = CivilDate(daysSince1970: (moment.seconds - secondOfDay(moment)) / 86_400)
        return zeroPadded(date.day, 2) + zeroPadded(date.month, 2) + zeroPadded(date.year % 100, 2)
    }

    private static func secondOfDay(_ moment: UTCTime) -> Int64 {
        let remainder = moment.seconds % 86_400
        return remainder < 0 ? remainder + 86_400 : remainder
    }

    /// A dilution of precision; 99.99 is the largest, or 99.9 with one decimal.
    static func dilution(_ value: Double?, decimals: Int = 2) -> String {
        let largest = decimals < 2 ? 99.9 : 99.99
        return number(value.map { min($0, largest) }, in: 0...largest, decimals: decimals)
    }

    /// An error in metres, to the centimetre, or the millimetre where it is smaller than a metre.
    static func error(_ metres: Double?) -> String {
        number(metres, in: 0...9_999_999, decimals: (metres ?? 0) < 1 ? 3 : 2)
    }

    /// A whole number within `range` with leading zeros, else an empty field.
    static func integer(_ value: Double?, in range: ClosedRange<Double>, digits: Int) -> String {
        guard let value = value?.rounded(), range.contains(value) else { return "" }
        return zeroPadded(Int(value), digits)
    }

    /// A number within `range` with this many decimals, else an empty field.
    static func number(_ value: Double?, in range: ClosedRange<Double>, decimals: Int) -> String {
        guard let value, range.contains(value) else { return "" }
        return value.fixedDecimal(places: decimals) ?? ""
    }
}

/// The kind of fix, in the codes of NMEA 0183.
struct NMEAQuality: Equatable {
    /// GGA's quality: 1 plain, 2 differential, 3 precise (PPS), 4 RTK fixed, 5 RTK float, 6 estimated, 7 manual,
    /// 8 simulated.
    let indicator: Int
    /// RMC's mode: A autonomous, D differential, P precise, R RTK fixed, F RTK float, E estimated, M manual,
    /// S simulated.
    let mode: String

    /// A simulated or replayed position counts as simulated, a written one as manual, and one of a network as
    /// estimated, whatever its augmentation. Satellites combined with dead reckoning count as a plain fix, since
    /// "estimated" means that there were no satellites.
    init(of location: Location) {
        let kind: Augmentation? =
            switch location.source.method {
            case _ where location.isMadeUp: .simulated
            case .fixedPosition: .timeOnly
            case .network: .deadReckoning
            case .gnss, .simulated, .replayed, .unknown: location.augmentation
            }
        (indicator, mode) =
            switch kind {
            case nil, .gnssDeadReckoning, .unknown: (1, "A")
            case .dgps: (2, "D")
            case .precise: (3, "P")
            case .rtkFixed: (4, "R")
            case .rtkFloat: (5, "F")
            case .deadReckoning: (6, "E")
            case .timeOnly: (7, "M")
            case .simulated: (8, "S")
            }
    }
}

extension Location {
    /// The location with a horizontal dilution of precision, for readers who judge accuracy by it alone.
    ///
    /// It is the receiver's own if present. Otherwise it is the worst that agrees with the accuracy: dilution is the
    /// position's error divided by that of a range, which is taken to be 1 m, the best without carrier phase; rounded
    /// up to hundredths, at least 1. If neither is known, or the result exceeds the field, it is 99.99, the worst that
    /// NMEA can express. An empty field would not do, because some readers take it for 0, which is the best.
    package var statingHDOP: Location {
        var location = self
        location.hdop = min(hdop.flatMap { $0 > 0 ? $0 : nil } ?? derivedHDOP ?? Self.worstHDOP, Self.worstHDOP)
        return location
    }

    private static let worstHDOP = 99.99
    /// Metres.
    private static let rangeError = 1.0

    private var derivedHDOP: Double? {
        horizontalAccuracy.map { max(1, ($0 / Self.rangeError * 100).rounded(.up) / 100) }
    }
}
