@_spi(Programs) package import LocationModel

/// A change of the track, to be carried out in the file.
package enum TrackChange: Sendable, Hashable {
    /// The newest location.
    case add(TrackPoint)
    /// The location before the newest is left out.
    case removePrevious
    /// No location came between the two.
    case addGap(from: TrackPoint, to: TrackPoint)
    /// Locations of this moment and later belong to a new trip.
    case beginTrip(UTCTime)
    /// Those after this moment belong to no trip. The speed is the highest of all its locations, metres per second.
    case endTrip(UTCTime, maximumSpeed: Double?)
    case beginStay(Visit)
    case endStay(Visit)
}
