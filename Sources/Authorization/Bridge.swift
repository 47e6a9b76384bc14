/// A way by which locations leave for another location service, which hands them on to programs of its own.
///
/// Nobody can tell those programs apart here, so a bridge is decided about as one.
package enum Bridge: String, Sendable, Hashable, CaseIterable {
    /// The NMEA socket, which GeoClue reads.
    case nmea
}
