package import LocationModel

/// Comma-separated values (RFC 4180): a header row, then a row per location; lines end with CR LF.
///
/// The columns, in this order for good: `timestamp` (RFC 3339, UTC), `latitude_deg`, `longitude_deg`, the measured
/// fields with their units, `mode`, `augmentation`, `satellitesUsed`, `monotonicTime_s`, `sequence`, `source`,
/// `device`, `isSimulated`, `isReplayed`. Names are the wire's with the unit appended; absent is empty.
package struct CSVTable: LocationFormat {
    package init() {}

    package var opening: String {
        let measured = MeasuredField.all.map { field in field.name + (field.unit.map { "_" + $0 } ?? "") }
        let end = [
            "mode", "augmentation", "satellitesUsed", "monotonicTime_s", "sequence", "source", "device", "isSimulated",
            "isReplayed",
        ]
        return Self.row(["timestamp", "latitude_deg", "longitude_deg"] + measured + end)
    }

    package func record(for location: Location) -> String {
        let start = [
            location.timestamp?.writable?.description,
            location.coordinate.latitude.plainDecimal, location.coordinate.longitude.plainDecimal,
        ]
        let measured = MeasuredField.all.map { $0.value(location)?.plainDecimal }
        let end = [
            location.modeName, location.augmentationName, location.satellitesUsed.map { String($0) },
            location.monotonicTime.seconds.plainDecimal, location.givenSequence.map { String($0) },
            location.source.name, location.source.device,
            String(location.source.isSimulated), String(location.source.isReplayed),
        ]
        return Self.row(start + measured + end)
    }

    package var closing: String { "" }

    private static func row(_ fields: [String?]) -> String {
        fields.map { quotedIfNeeded($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    /// The field in quotes, quotes in it doubled, if it holds what would end it otherwise.
    private static func quotedIfNeeded(_ field: String) -> String {
        // By scalar, because CR LF is one character.
        guard field.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return field }
        let doubled = field.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }
        return "\"" + doubled.joined() + "\""
    }
}
