#if canImport(CoreLocation)
    import CoreLocation
#else
    @_spi(Programs) import OpenCoreLocation
#endif

/// Counts the visits to each of some places.
actor PlaceCounter {
    private var monitor: CLMonitor?
    private var counts: [String: Int] = [:]

    func count(of name: String) -> Int { counts[name, default: 0] }

    /// Loops until its task is cancelled.
    func run(_ places: [(name: String, center: CLLocationCoordinate2D)]) async throws {
        let monitor = await CLMonitor("counter")
        self.monitor = monitor
        let known = await monitor.identifiers
        for place in places where !known.contains(place.name) {
            let condition = CLMonitor.CircularGeographicCondition(center: place.center, radius: 120)
            await monitor.add(condition, identifier: place.name, assuming: .unsatisfied)
        }
        for name in known where !places.contains(where: { $0.name == name }) { await monitor.remove(name) }
        for try await event in await monitor.events {
            guard await monitor.record(for: event.identifier) != nil else { continue }
            switch event.state {
            case .satisfied: counts[event.identifier, default: 0] += 1
            case .unsatisfied, .unknown, .unmonitored: break
            @unknown default: break
            }
        }
    }
}
