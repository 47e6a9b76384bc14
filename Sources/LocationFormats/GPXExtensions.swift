import LocationModel

/// What GPX 1.1 has no element for.
///
/// Speed and course stand in Garmin's `TrackPointExtension` version 2 (metres per second; degrees from true north),
/// where most programs look for them. The rest has the wire's names and units in a namespace of our own.
enum GPXExtensions {
    /// The name of our namespace.
    static let namespace = "urn:x-locationd:gpx"

    /// The fields that a track point has elsewhere already, or that follow from those.
    private static let fieldsElsewhere: Set = [
        "altitude", "speed", "course", "magneticVariation", "hdop", "vdop", "pdop",
    ]

    /// The `extensions` element of a location; `nil` if there is nothing to put in.
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
            xmlElement("locationd:isSimulated", location.source.isSimulated ? "true" : nil),
            xmlElement("locationd:isReplayed", location.source.isReplayed ? "true" : nil),
        ]
    }
}
