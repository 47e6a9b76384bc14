@_spi(Programs) import LocationModel

/// Whether the machine may be, or must be, known as stationary, by the fixes of the followed receiver.
///
/// The daemon compares fixes with one of them, and when it began with that is not known here. So any fix that no later
/// one contradicts may be the one; and the machine must be known as stationary only where every fix says the same.
package struct ExpectedMovement {
    private struct Place {
        let fix: Location
        var accuracy: Double { fix.horizontalAccuracy ?? 100 }
    }

    /// The fixes that no later one contradicts.
    private var places: [Place] = []
    /// The first of a series of fixes that all say the same.
    private var series: Location?
    private var last: Location?
    /// True after so many fixes that not all of them are kept.
    private var isOpen = false

    package init() {}

    /// Another run of the daemon, which knows nothing of the last.
    mutating func restart() { self = ExpectedMovement() }

    /// The sources stopped: the daemon may have forgotten what it knew.
    mutating func interrupt() { series = nil }

    /// A fix of the followed receiver.
    mutating func apply(_ fix: Location) {
        defer { last = fix }
        let accuracy = fix.horizontalAccuracy ?? 100
        let isMoving = fix.speed.map { $0 - (fix.speedAccuracy ?? 1) > 1 } ?? false
        places.removeAll { place in
            isMoving
                || place.fix.coordinate != fix.coordinate
                    && place.fix.coordinate.distance(to: fix.coordinate) > 20 + max(accuracy, place.accuracy)
        }
        if isMoving { isOpen = false }
        if accuracy <= 100 {
            if places.count < 2000 { places.append(Place(fix: fix)) } else { isOpen = true }
        }
        let isSame =
            last.map {
                $0.coordinate == fix.coordinate && $0.horizontalAccuracy == fix.horizontalAccuracy
                    && fix.monotonicTime.seconds(since: $0.monotonicTime) < 60
            } ?? false
        if isMoving || accuracy > 100 {
            series = nil
        } else if series == nil || !isSame {
            series = fix
        }
    }

    /// True if the machine may be known to have been stationary for so many seconds at that moment.
    func mayBeStationary(for seconds: Double, at now: BootInstant) -> Bool {
        isOpen || places.contains { now.seconds(since: $0.fix.monotonicTime) >= seconds - 0.001 }
    }

    /// True if the last fix must have shown that the machine has been stationary for so many seconds.
    func mustBeStationary(for seconds: Double) -> Bool {
        guard let series, let last else { return false }
        return last.monotonicTime.seconds(since: series.monotonicTime) >= seconds + 0.001
    }
}
