@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Monitors and the test's control of their service, so that the same contract is tested with the fake and the real
/// one.
protocol MonitorSubject: Sendable {
    /// A new monitor, as a program makes it; monitors of the same name are made one after the other.
    func makeMonitor(name: String?, regions: [Region], change: SignificantChange?) async throws -> any MonitorProviding
    func send(latitude: Double) async throws
    func authorize(_ status: AuthorizationStatus) async throws
    func endService() async throws
    func beginService() async throws
    /// Removes the persisted monitor, as an administrator does.
    func removePersistedMonitor(_ name: String) async throws
}

extension MonitorSubject {
    func makeMonitor(_ regions: Region...) async throws -> any MonitorProviding {
        try await makeMonitor(name: nil, regions: regions, change: nil)
    }
}

extension Region {
    /// A circle with a radius of 100 m, at a latitude.
    static func circle(_ identifier: String, at latitude: Double) throws -> Region {
        let center = try #require(Coordinate(latitude: latitude, longitude: 2))
        return try Region(identifier: identifier, shape: .circle(RegionCircle(center: center, radius: 100)))
    }
}

/// The fake, controlled by its script; the persisted monitor goes from one to the next.
final class FakeMonitorSubject: MonitorSubject {
    private let current = ValueRecorder<FakeLocationMonitor>()
    private var fake: FakeLocationMonitor? { current.values.last }

    func makeMonitor(name: String?, regions: [Region], change: SignificantChange?) -> any MonitorProviding {
        let fake = FakeLocationMonitor(
            name: name, regions: regions, significantChange: change,
            persisted: name == nil ? nil : fake?.persistedMonitor)
        current.append(fake)
        return fake
    }

    func send(latitude: Double) {
        fake?.send(latitude: latitude, longitude: 2)
        fake?.advance(by: 1)
    }

    func authorize(_ status: AuthorizationStatus) { fake?.authorizationStatus = status }
    func endService() { fake?.disconnect() }
    func beginService() { fake?.reconnect() }
    func removePersistedMonitor(_ name: String) { fake?.removePersistedMonitor() }
}

/// Monitors of the built daemon.
struct RealMonitorSubject: MonitorSubject {
    let real: RealDaemonSubject

    func makeMonitor(name: String?, regions: [Region], change: SignificantChange?) -> any MonitorProviding {
        LocationMonitor(
            name: name, regions: regions, significantChange: change,
            configuration: LocationConfiguration(socketPath: real.daemon.socket))
    }

    func send(latitude: Double) async throws { try await real.send(latitude: latitude) }
    func authorize(_ status: AuthorizationStatus) async throws { try await real.authorize(status) }
    func endService() async throws { try await real.daemon.kill() }
    func beginService() async throws { try await real.beginService() }
    func removePersistedMonitor(_ name: String) async throws {
        try await LocationClient(socketPath: real.daemon.socket).removeMonitor(name)
    }
}

extension Implementation {
    /// Runs the body with a new subject whose service is there and authorizes it.
    func runMonitors(_ body: (any MonitorSubject) async throws -> Void) async throws {
        switch self {
        case .fake: try await body(FakeMonitorSubject())
        case .real:
            let real = try await RealDaemonSubject(authorization: .authorizedAlways)
            try await body(RealMonitorSubject(real: real))
            try await real.endService()
        }
    }
}
