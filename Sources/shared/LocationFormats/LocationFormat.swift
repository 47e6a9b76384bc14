@_spi(Programs) package import LocationModel

/// A streaming output format for locations.
///
/// The output is `opening`, then one ``record(for:)`` for each location in order, then `closing`: together they are a
/// complete file. Every piece includes its own line ends, and may be empty.
package protocol LocationFormat: Sendable {
    /// The text before the first record.
    var opening: String { get }

    /// The text for one location. A format may keep state for the next one.
    mutating func record(for location: Location) -> String

    /// The text for a view of the sky; most formats have none.
    mutating func record(for satellites: [Satellite]) -> String

    /// It is not known what the machine did between the last location and the next: a line between them would be
    /// misleading.
    mutating func interrupt()

    /// The text after the last record so far.
    var closing: String { get }
}

extension LocationFormat {
    /// Formats without lines need not know.
    package mutating func interrupt() {}

    /// Most formats are of locations alone.
    package mutating func record(for satellites: [Satellite]) -> String { "" }
}

/// The formats by the names that users enter.
package enum LocationFormatName: String, CaseIterable, Sendable {
    /// GeoJSON, one FeatureCollection.
    case geojson
    /// GeoJSON, one Feature per line.
    case geojsonl
    /// A GPX 1.1 track.
    case gpx
    /// NMEA 0183: GGA, RMC, GSA and GST of each location, GSV of each view of the sky.
    case nmea
    /// Comma-separated values with a header row.
    case csv
    /// KML 2.2: a placemark per location, and lines.
    case kml

    /// A writer of this format that has written nothing yet.
    ///
    /// - Parameter longestGap: Seconds without a location after which a track counts as interrupted; `nil` for never.
    ///   It should be well above the requested interval, or the time that the requested distance takes.
    package func makeFormat(longestGap: Double? = 30) -> any LocationFormat {
        switch self {
        case .geojson: GeoJSONCollection()
        case .geojsonl: GeoJSONLines()
        case .gpx: GPXTrack(longestGap: longestGap)
        case .nmea: NMEASentences()
        case .csv: CSVTable()
        case .kml: KMLDocument(longestGap: longestGap)
        }
    }
}

extension Location {
    /// The location with a time, for programs that pass over locations without one.
    ///
    /// A position that was entered, and that of a network, have none: they are given the moment of their arrival by the
    /// machine's clock. A receiver that does not know the time yet keeps none: programs would take the machine's for
    /// that of satellites.
    ///
    /// - Parameters:
    ///   - now: the moment on the clock that never jumps, which tells how old the location is.
    ///   - utc: the same moment on the wall clock.
    package func statingTime(at now: BootInstant, utc: UTCTime) -> Location {
        guard timestamp == nil, source.method == .fixedPosition || source.method == .network else { return self }
        var location = self
        location.timestamp = utc.advanced(bySeconds: -age(at: now))
        return location
    }
}

extension ServiceStatus {
    /// The state in words.
    package var words: String {
        switch source {
        case .stopped: enabled ? "idle" : "switched off"
        case .starting: "connecting to the receivers"
        case .searching: "searching for a fix"
        case .tracking: "tracking"
        case .lost: "the fix is lost"
        case .unavailable: "no source can be used"
        case .unknown: "in a state this version does not know"
        }
    }
}
