@_spi(Programs) package import LocationModel

/// Locations that a watch with a maximum delay is sent together.
package struct LocationBatch: Sendable, Equatable {
    /// One at least, in the order of their arrival.
    package var locations: [Location]
    /// Locations lost before the first one.
    package var dropped = 0
    /// True if the watch ends with the last one.
    package var isFinal = false
}

/// The locations that are held for a watch with a maximum delay.
///
/// A watch whose client is behind holds them too: beyond the limit the oldest are dropped. The limit is what the kernel
/// takes at once for a client that has read everything, so that nothing of a batch waits in this process after a
/// permission was revoked.
struct Batch {
    static let limit = 96

    /// Seconds for which the first one may be held.
    let delay: Double
    /// The watches of a view share each location.
    private(set) var locations: [HeldLocation] = []

    init(delay: Double) { self.delay = delay }

    /// - Parameter capacity: the most locations that are held, 1 or more.
    /// - Returns: the number of locations dropped.
    mutating func hold(_ location: HeldLocation, capacity: Int) -> Int {
        let excess = max(0, locations.count + 1 - capacity)
        locations.removeFirst(excess)
        locations.append(location)
        return excess
    }

    /// Removes all.
    mutating func removeAll() -> [HeldLocation] {
        defer { locations = [] }
        return locations
    }

    /// When a location that is held since `now` is sent: at a multiple of the delay on the monotonic clock, so that all
    /// watches of the same delay wake their clients together.
    func deadline(at now: BootInstant) -> BootInstant {
        let multiple = ((now.seconds / delay).rounded(.down) + 1) * delay
        return min(BootInstant(seconds: multiple), now.advanced(bySeconds: delay))
    }
}

/// A location on the heap, because many watches may hold it.
final class HeldLocation: Sendable {
    let value: Location

    init(_ value: Location) { self.value = value }
}
