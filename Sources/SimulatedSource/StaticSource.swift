package import LocationModel

/// A position that the administrator has entered, told once a second.
///
/// It has no timestamp: nothing measures time here, and the machine's own clock, handed out as a receiver's, would
/// let a client set the clock by itself. It is not marked as simulated: somebody who knows the place has stated it,
/// and for a machine that stays where it is that is the truth. Speed and course are absent, because nobody measures
/// whether the machine is being carried away.
package struct StaticSource: LocationSource {
    package let name: String
    private let location: Location
    private let clocks: SourceClocks

    /// - Parameters:
    ///   - name: The source's name in the configuration.
    ///   - altitude: Height above mean sea level, metres.
    ///   - ellipsoidalAltitude: Height above the WGS 84 ellipsoid, metres.
    ///   - horizontalAccuracy: Radius of the circle that holds the position, metres. A negative one is no radius and
    ///     counts as absent, as does any number that is not finite.
    package init(
        name: String = "static", coordinate: Coordinate, altitude: Double? = nil, ellipsoidalAltitude: Double? = nil,
        horizontalAccuracy: Double? = nil, clocks: SourceClocks
    ) {
        self.name = name
        self.clocks = clocks
        var location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(nanoseconds: 0), source: SourceInformation(name: name))
        location.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
        location.ellipsoidalAltitude = ellipsoidalAltitude.flatMap { $0.isFinite ? $0 : nil }
        location.horizontalAccuracy = horizontalAccuracy.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        let hasHeight = location.altitude != nil || location.ellipsoidalAltitude != nil
        location.mode = hasHeight ? .threeDimensional : .twoDimensional
        self.location = location
    }

    /// The same position every second, so that it stays fresh.
    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        deliver(.condition(.connected(reason: nil)))
        while !Task.isCancelled {
            var told = location
            told.monotonicTime = clocks.now()
            deliver(.fix(told))
            do {
                try await clocks.sleep(until: told.monotonicTime.advanced(bySeconds: 1))
            } catch {
                return
            }
        }
    }
}
