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
