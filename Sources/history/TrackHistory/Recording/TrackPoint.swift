@_spi(Programs) package import LocationModel

/// A location of the track, with the moment by which it is ordered.
package struct TrackPoint: Sendable, Hashable {
    package var location: Location
    /// The receiver's UTC, or the machine's where the receiver has none or a wrong one.
    package var time: UTCTime
    /// Of a point that was read from a file: whether no location came for a while before it.
    package var isAfterGap = false

    /// - Parameter now: the machine's UTC.
    package init(_ location: Location, at now: UTCTime) {
        self.location = location
        time = location.isTimestampImplausible ? now : location.timestamp ?? now
    }
}
