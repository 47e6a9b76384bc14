@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
import Testing

extension ServiceStatus {
    static let tracking = ServiceStatus.with()
    static let denied = ServiceStatus.with(.denied, source: .stopped, reason: "refused")

    static func with(
        _ authorization: AuthorizationStatus = .authorizedAlways, enabled: Bool = true, source: SourceState = .tracking,
        reason: String? = nil
    ) -> ServiceStatus {
        ServiceStatus(
            authorization: authorization, accuracy: .full, enabled: enabled,
            source: SourceStatus(state: source, reason: reason))
    }
}

extension Location {
    /// A location a number of metres north of the equator, where a degree of latitude is taken for 111 km. By default
    /// it is newer than every request of the tests.
    static func at(metres: Double = 0, accuracy: Double? = 5, seconds: Double = 5000) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: metres / 111_000, longitude: 8)),
            monotonicTime: BootInstant(seconds: seconds), source: SourceInformation(name: "test"))
        location.horizontalAccuracy = accuracy
        return location
    }

    /// The event with this location.
    var event: TransportEvent { .location(self, dropped: 0) }
}

extension LocationError {
    static let gone = LocationError.daemonNotRunning(path: "/test", reason: "nobody listens")
}

/// An executor that runs its blocks when the test says so.
final class WaitingPlace: Sendable {
    private let blocks = Mutex<[@Sendable () -> Void]>([])

    var count: Int { blocks.withLock { $0.count } }

    var delivery: Delivery {
        Delivery { [self] block in blocks.withLock { $0.append(block) } }
    }

    func runAll() {
        let due = blocks.withLock { blocks in
            defer { blocks = [] }
            return blocks
        }
        for block in due { block() }
    }
}
