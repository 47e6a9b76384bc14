@_spi(Programs) package import LocationModel

/// Comma-separated values (RFC 4180): a header row, then a row per location; lines end with CR LF.
///
/// The order of the columns: `timestamp` (RFC 3339, UTC), `latitude_deg`, `longitude_deg`, the measured fields with
/// their units, the accuracies and the height above the ellipsoid before what else has similar names (gpsbabel's reader
/// `unicsv` takes the last column whose name contains `alt`, `speed` or `course`), `mode`, `augmentation`,
/// `satellitesUsed`, `monotonicTime_s`, `sequence`, `source`, `device`, `isSimulated`, `isReplayed`, `method`,
/// `geoidSeparation_m`, `accuracyBasis`, the error ellipse's `semiMajorAxis_m`, `semiMinorAxis_m`, `orientation_deg`
/// and `isStandardDeviation`, `timestampImplausible`, `implausible`, `basis`. Names are the wire's with the unit
/// appended; absent values are empty.
///
/// `source` and `device` are texts of others: unprintable characters are written as `\u{…}`, and a text that a
/// spreadsheet would take for a formula begins with an apostrophe, by which it is text there.
package struct CSVTable: LocationFormat {
    package init() {}

    package var opening: String {
        let measured = Self.measured.map { field in field.name + (field.unit.map { "_" + $0 } ?? "") }
        let end = [
            "mode", "augmentation", "satellitesUsed", "monotonicTime_s", "sequence", "source", "device", "isSimulated",
            "isReplayed", "method", "geoidSeparation_m", "accuracyBasis", "semiMajorAxis_m", "semiMinorAxis_m",
            "orientation_deg", "isStandardDeviation", "timestampImplausible", "implausible",
            "basis",
        ]
        return Self.row(["timestamp", "latitude_deg", "longitude_deg"] + measured + end)
    }

    package func record(for location: Location) -> String {
        let start = [
            location.timestamp?.writable?.description,
            location.coordinate.latitude.plainDecimal, location.coordinate.longitude.plainDecimal,
        ]
        let measured = Self.measured.map { $0.value(location)?.plainDecimal }
        let end = [
            location.modeName, location.augmentationName, location.satellitesUsed.map { String($0) },
            location.deliveryTime?.plainDecimal, location.givenSequence.map { String($0) },
            Self.text(location.source.name), location.source.device.map(Self.text),
            String(location.source.isSimulated), String(location.source.isReplayed), location.methodName,
        ]
        return Self.row(start + measured + end + quality(of: location))
    }

    package var closing: String { "" }

    private static let measured =
        MeasuredField.all.filter(isFirst) + MeasuredField.all.filter { !isFirst($0) }

    private static func isFirst(_ field: MeasuredField) -> Bool {
        field.name.hasSuffix("Accuracy") || field.name == "ellipsoidalAltitude"
    }

    private func quality(of location: Location) -> [String?] {
        let ellipse = location.errorEllipse
        return [
            location.geoidSeparation?.plainDecimal, location.accuracyBasis?.rawValue,
            ellipse?.semiMajorAxis.plainDecimal, ellipse?.semiMinorAxis.plainDecimal,
            ellipse?.orientation.plainDecimal, ellipse.map { String($0.isStandardDeviation) },
            location.isTimestampImplausible ? "true" : nil, location.implausibility?.rawValue,
            location.basis?.rawValue,
        ]
    }

    /// The first characters of what spreadsheets take for a formula, in the wide forms of East Asian scripts too.
    private static let formulaSigns: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]

    /// A text of others, for spreadsheets and terminals.
    private static func text(_ text: String) -> String {
        let printable = text.escapingUnprintable()
        let first = printable.unicodeScalars.first { !$0.properties.isWhitespace }
        return first.map(formulaSigns.contains) == true ? "'" + printable : printable
    }

    private static func row(_ fields: [String?]) -> String {
        fields.map { quotedIfNeeded($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    /// The field, quoted and with its quotes doubled if it contains a separator, a quote or a line end.
    private static func quotedIfNeeded(_ field: String) -> String {
        // By scalar, because CR LF is one character.
        guard field.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return field }
        let doubled = field.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }
        return "\"" + doubled.joined() + "\""
    }
}

/// A number in a location that may be absent, with its name on the wire and its unit.
struct MeasuredField: Sendable {
    /// The name on the wire.
    let name: String
    /// The unit as part of an identifier; `nil` for a number without unit.
    let unit: String?
    /// The number in a location; absent and not finite are both `nil`.
    let value: @Sendable (Location) -> Double?

    private init(_ name: String, _ unit: String?, _ value: @escaping @Sendable (Location) -> Double?) {
        self.name = name
        self.unit = unit
        self.value = { location in value(location).flatMap { $0.isFinite ? $0 : nil } }
    }

    /// All of them, in the wire's order.
    static let all = [
        MeasuredField("horizontalAccuracy", "m") { $0.horizontalAccuracy },
        MeasuredField("altitude", "m") { $0.altitude },
        MeasuredField("ellipsoidalAltitude", "m") { $0.ellipsoidalAltitude },
        MeasuredField("verticalAccuracy", "m") { $0.verticalAccuracy },
        MeasuredField("speed", "m_per_s") { $0.speed },
        MeasuredField("speedAccuracy", "m_per_s") { $0.speedAccuracy },
        MeasuredField("course", "deg") { $0.course },
        MeasuredField("courseAccuracy", "deg") { $0.courseAccuracy },
        MeasuredField("climb", "m_per_s") { $0.climb },
        MeasuredField("climbAccuracy", "m_per_s") { $0.climbAccuracy },
        MeasuredField("magneticVariation", "deg") { $0.magneticVariation },
        MeasuredField("hdop", nil) { $0.hdop },
        MeasuredField("vdop", nil) { $0.vdop },
        MeasuredField("pdop", nil) { $0.pdop },
    ]
}

extension Location {
    /// The separation that the receiver used or, if it does not say, that of its two altitudes; metres.
    var usedGeoidSeparation: Double? {
        if let geoidSeparation, geoidSeparation.isFinite { return geoidSeparation }
        guard let altitude, let ellipsoidalAltitude else { return nil }
        let separation = ellipsoidalAltitude - altitude
        return separation.isFinite ? separation : nil
    }

    /// True if this position is simulated or replayed.
    var isMadeUp: Bool { source.isSimulated || source.isReplayed }

    /// The method's name on the wire; `nil` for one that is not known.
    var methodName: String? { source.method == .unknown ? nil : source.method.rawValue }

    /// The mode's name on the wire; `nil` for one of a later version.
    var modeName: String? { mode == .unknown ? nil : mode.rawValue }

    /// The augmentation's name on the wire; `nil` for none and for one of a later version.
    var augmentationName: String? { augmentation == .unknown ? nil : augmentation?.rawValue }

    /// The boot clock's seconds at which the daemon had it; `nil` for a location that no daemon of this boot has
    /// delivered, such as one of a track.
    var deliveryTime: Double? { givenSequence == nil ? nil : monotonicTime.seconds }

    /// The sequence number; `nil` before the daemon has assigned one.
    var givenSequence: Int64? { sequence == 0 ? nil : sequence }
}
