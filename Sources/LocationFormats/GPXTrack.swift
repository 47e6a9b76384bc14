package import LocationModel

/// A GPX 1.1 document with one track.
///
/// A new segment begins where the line between two points would be invented: after a gap, when the clock since boot
/// starts over, and where measured and made-up positions meet. The document is well-formed only once closed.
package struct GPXTrack: LocationFormat {
    private let longestGap: Double?
    private var previous: (moment: BootInstant, isMadeUp: Bool)?

    /// - Parameter longestGap: Seconds between two locations that still belong together; `nil` for any.
    package init(longestGap: Double? = 30) {
        self.longestGap = longestGap
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
        defer { previous = (location.monotonicTime, location.isMadeUp) }
        return (continuesSegment(location) ? "" : "</trkseg>\n<trkseg>\n") + location.gpxTrackPoint
    }

    package var closing: String { "</trkseg>\n</trk>\n</gpx>\n" }

    private func continuesSegment(_ location: Location) -> Bool {
        guard let previous else { return true }
        let pause = location.monotonicTime.seconds(since: previous.moment)
        return location.isMadeUp == previous.isMadeUp && pause >= 0 && pause <= longestGap ?? .infinity
    }
}
