@_spi(Programs) package import LocationModel

/// A GPX 1.1 document with one track.
///
/// A new segment begins where a line between two points would be misleading: after a gap, when the boot clock restarts,
/// and between measured and simulated or replayed positions. The document is well-formed only once closed.
package struct GPXTrack: LocationFormat {
    private var segments: TrackSegments

    /// - Parameter longestGap: Seconds between two locations of one segment, at most; `nil` for any.
    package init(longestGap: Double? = 30) {
        segments = TrackSegments(longestGap: longestGap)
    }

    package var opening: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
        xmlns:locationd="\(GPXExtensions.namespace)" version="1.1" creator="locationd">
        <trk>
        <trkseg>

        """
    }

    package mutating func record(for location: Location) -> String {
        (segments.continues(with: location) ? "" : "</trkseg>\n<trkseg>\n") + location.gpxTrackPoint
    }

    package mutating func interrupt() { segments.interrupt() }

    package var closing: String { "</trkseg>\n</trk>\n</gpx>\n" }
}

/// Where a line between two locations would be misleading: after a gap, when the boot clock restarts, and between
/// measured and simulated or replayed positions.
struct TrackSegments {
    /// Seconds between two locations of one segment, at most; `nil` for any.
    let longestGap: Double?
    private var previous: (moment: BootInstant, isMadeUp: Bool)?
    private var isInterrupted = false

    init(longestGap: Double?) {
        self.longestGap = longestGap
    }

    /// - Returns: false if a new segment begins with this location.
    mutating func continues(with location: Location) -> Bool {
        defer { (previous, isInterrupted) = ((location.monotonicTime, location.isMadeUp), false) }
        guard let previous else { return true }
        let pause = location.monotonicTime.seconds(since: previous.moment)
        return !isInterrupted && location.isMadeUp == previous.isMadeUp && pause >= 0
            && pause <= longestGap ?? .infinity
    }

    mutating func interrupt() { isInterrupted = true }
}

extension Location {
    /// This location as a GPX 1.1 `trkpt` element, with a line end after it.
    ///
    /// The children are in the order of the schema's `wptType`, which is a sequence. `ele` is the altitude above mean
    /// sea level, as GPX readers expect; the altitude above the ellipsoid is an extension.
    var gpxTrackPoint: String {
        let latitude = GPXNumber.decimal(coordinate.latitude) ?? "0"
        let longitude = GPXNumber.longitude(coordinate.longitude) ?? "0"
        let children = [
            xmlElement("ele", GPXNumber.decimal(altitude)),
            xmlElement("time", timestamp?.writable?.description),
            xmlElement("magvar", GPXNumber.direction(magneticVariation)),
            xmlElement("geoidheight", GPXNumber.decimal(usedGeoidSeparation)),
            xmlElement("src", [source.name, source.device].compactMap { $0 }.joined(separator: " ")),
            xmlElement("fix", gpxFix),
            xmlElement("sat", satellitesUsed.flatMap { $0 < 0 ? nil : String($0) }),
            xmlElement("hdop", GPXNumber.decimal(hdop)),
            xmlElement("vdop", GPXNumber.decimal(vdop)),
            xmlElement("pdop", GPXNumber.decimal(pdop)),
            GPXExtensions.element(for: self),
        ]
        let lines = children.compactMap { $0 }.map { "  " + $0 + "\n" }
        return "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">\n" + lines.joined() + "</trkpt>\n"
    }

    /// The schema's `fixType`; `nil` where the position does not come from satellites, or the kind of fix is unknown.
    private var gpxFix: String? {
        switch (augmentation, mode) {
        case (.deadReckoning, _), (.timeOnly, _): nil
        case (.dgps, _), (.rtkFixed, _), (.rtkFloat, _): "dgps"
        case (.precise, _): "pps"
        case (_, .twoDimensional): "2d"
        case (_, .threeDimensional): "3d"
        case (_, .unknown): nil
        }
    }
}

/// The fields for which GPX 1.1 has no element.
///
/// Speed and course are in Garmin's `TrackPointExtension` version 2 (metres per second; degrees from true north), where
/// most programs expect them. The rest has the wire's names and units in a namespace of our own.
enum GPXExtensions {
    /// The name of our namespace.
    static let namespace = "urn:x-locationd:gpx"

    /// The fields that a track point contains elsewhere, or that follow from those.
    private static let fieldsElsewhere: Set = [
        "altitude", "speed", "course", "magneticVariation", "hdop", "vdop", "pdop",
    ]

    /// The `extensions` element of a location; `nil` if it would be empty.
    static func element(for location: Location) -> String? {
        let inside = [trackPointExtension(for: location)] + ownElements(for: location)
        let text = inside.compactMap { $0 }.joined()
        return text.isEmpty ? nil : "<extensions>\(text)</extensions>"
    }

    private static func trackPointExtension(for location: Location) -> String? {
        let speed = location.speed.flatMap { $0 < 0 ? nil : GPXNumber.decimal($0) }
        let course = GPXNumber.direction(location.course)
        let inside = [xmlElement("gpxtpx:speed", speed), xmlElement("gpxtpx:course", course)].compactMap { $0 }.joined()
        return inside.isEmpty ? nil : "<gpxtpx:TrackPointExtension>\(inside)</gpxtpx:TrackPointExtension>"
    }

    private static func ownElements(for location: Location) -> [String?] {
        MeasuredField.all.filter { !fieldsElsewhere.contains($0.name) }.map { field in
            xmlElement("locationd:" + field.name, GPXNumber.decimal(field.value(location)))
        } + [
            xmlElement("locationd:augmentation", location.augmentationName),
            xmlElement("locationd:accuracyBasis", location.accuracyBasis?.rawValue),
            xmlElement("locationd:basis", location.basis?.rawValue),
            xmlElement("locationd:implausible", location.implausibility?.rawValue),
            xmlElement("locationd:timestampImplausible", location.isTimestampImplausible ? "true" : nil),
            xmlElement("locationd:method", location.source.method == .gnss ? nil : location.methodName),
            xmlElement("locationd:isSimulated", location.source.isSimulated ? "true" : nil),
            xmlElement("locationd:isReplayed", location.source.isReplayed ? "true" : nil),
        ]
    }
}

/// Numbers as `xsd:decimal`: no exponent, and at most the 18 digits that every schema processor must support.
enum GPXNumber {
    /// To nine places, which is a tenth of a millimetre in a coordinate; `nil` if absent, or 1e9 and more.
    static func decimal(_ number: Double?) -> String? {
        guard let number, number.magnitude < 1e9 else { return nil }
        return rounded(number).plainDecimal
    }

    /// The schema's `degreesType`, 0..<360.
    static func direction(_ degrees: Double?) -> String? {
        guard let turned = degrees?.fullCircleDegrees else { return nil }
        return decimal(rounded(turned) < 360 ? turned : 0)
    }

    /// The schema's `longitudeType`, which ends just before 180: the same meridian is -180.
    static func longitude(_ degrees: Double) -> String? {
        decimal(rounded(degrees) < 180 ? degrees : -180)
    }

    private static func rounded(_ number: Double) -> Double { (number * 1e9).rounded() / 1e9 }
}

/// Text as XML 1.0 allows it in an element or a quoted attribute.
///
/// Characters that XML cannot hold at all, or that a terminal interprets, become U+FFFD; tab and line ends are kept as
/// references, which no parser normalizes away.
func xmlEscaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x26: escaped += "&amp;"
        case 0x3C: escaped += "&lt;"
        case 0x3E: escaped += "&gt;"
        case 0x22: escaped += "&quot;"
        case 0x27: escaped += "&apos;"
        case 0x09, 0x0A, 0x0D: escaped += "&#\(scalar.value);"
        case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: escaped += "\u{FFFD}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

/// `<name>text</name>` with the text escaped; `nil` without text.
func xmlElement(_ name: String, _ text: String?) -> String? {
    text.map { "<\(name)>\(xmlEscaped($0))</\(name)>" }
}
