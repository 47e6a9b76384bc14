@_spi(Programs) package import LocationModel
@_spi(Programs) package import SystemSupport

/// A position that the administrator has entered, delivered once a second.
///
/// It has no timestamp: nothing measures time here, and the machine's own clock, presented as a receiver's, would let a
/// client set the clock by itself. It is not marked as simulated: a person who knows the place has stated it, and for a
/// machine that does not move it is true. Speed and course are absent, because nothing measures whether the machine is
/// being moved.
package struct StaticSource: LocationSource {
    package let name: String
    private let location: Location
    private let clock: ServiceClock

    /// - Parameters:
    ///   - name: The source's name in the configuration.
    ///   - altitude: Height above mean sea level, metres.
    ///   - ellipsoidalAltitude: Height above the WGS 84 ellipsoid, metres.
    ///   - horizontalAccuracy: Radius of the circle that contains the position, metres. A negative number, or one that
    ///     is not finite, counts as absent.
    package init(
        name: String = "static", coordinate: Coordinate, altitude: Double? = nil, ellipsoidalAltitude: Double? = nil,
        horizontalAccuracy: Double? = nil, clock: ServiceClock
    ) {
        self.name = name
        self.clock = clock
        var location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(nanoseconds: 0),
            source: SourceInformation(name: name, method: .fixedPosition))
        location.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
        location.ellipsoidalAltitude = ellipsoidalAltitude.flatMap { $0.isFinite ? $0 : nil }
        location.horizontalAccuracy = horizontalAccuracy.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        let hasHeight = location.altitude != nil || location.ellipsoidalAltitude != nil
        location.mode = hasHeight ? .threeDimensional : .twoDimensional
        self.location = location
    }

    /// Delivers the same position every second, so that it stays fresh.
    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        deliver(.condition(.connected(reason: nil)))
        while !Task.isCancelled {
            var fix = location
            fix.monotonicTime = clock.now()
            deliver(.fix(fix))
            do {
                try await clock.sleep(until: fix.monotonicTime.advanced(bySeconds: 1))
            } catch {
                return
            }
        }
    }
}
