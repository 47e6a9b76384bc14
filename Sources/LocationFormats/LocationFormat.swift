package import LocationModel

/// A way to write locations for other programs, record by record, as they come.
///
/// What is written is `opening`, then one ``record(for:)`` after the other in the order of the locations, then
/// `closing`: together they are a complete file. Every piece carries its own line ends, and may be empty.
package protocol LocationFormat: Sendable {
    /// What comes before the first record.
    var opening: String { get }

    /// The text for one location. A format may remember it, to write the next one accordingly.
    mutating func record(for location: Location) -> String

    /// What comes after the last record written so far.
    var closing: String { get }
}

/// The formats by the names a user gives.
package enum LocationFormatName: String, CaseIterable, Sendable {
    /// GeoJSON, one Feature per line.
    case geojson
    /// A GPX 1.1 track.
    case gpx
    /// NMEA 0183, a GGA and an RMC sentence per location.
    case nmea
    /// Comma-separated values with a header row.
    case csv

    /// A writer of this format that has written nothing yet.
    ///
    /// - Parameter longestGap: Seconds without a location after which a track counts as interrupted; `nil` for never.
    ///   It should be well above the interval or the time per distance that the locations were asked for with.
    package func makeFormat(longestGap: Double? = 30) -> any LocationFormat {
        switch self {
        case .geojson: GeoJSONLines()
        case .gpx: GPXTrack(longestGap: longestGap)
        case .nmea: NMEASentences()
        case .csv: CSVTable()
        }
    }
}

extension ServiceStatus {
    /// The state as a person would say it.
    package var words: String {
        switch source {
        case .stopped: enabled ? "idle" : "switched off"
        case .starting: "connecting to the receivers"
        case .searching: "searching for a fix"
        case .tracking: "tracking"
        case .lost: "the fix is lost"
        case .unavailable: "no receiver can be reached"
        case .unknown: "in a state this version does not know"
        }
    }
}
