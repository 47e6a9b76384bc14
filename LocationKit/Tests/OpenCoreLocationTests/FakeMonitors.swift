@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Synchronization

/// The monitors that a test's objects are made over, in the order of their creation: the program's own comes first.
final class FakeMonitors: Sendable {
    private let authorization: AuthorizationStatus
    private let persisted: [Region]
    private let reports: [RegionReport]
    private let made = Mutex<[FakeLocationMonitor]>([])

    /// - Parameters:
    ///   - persisted: the regions that an earlier run of the program left under each name.
    ///   - reports: the reports of these regions.
    init(
        authorization: AuthorizationStatus = .authorizedAlways, persisted: [Region] = [], reports: [RegionReport] = []
    ) {
        self.authorization = authorization
        self.persisted = persisted
        self.reports = reports
    }

    var all: [FakeLocationMonitor] { made.withLock { $0 } }

    func make(_ name: String?) -> FakeLocationMonitor {
        let left = name.flatMap { name in
            persisted.isEmpty
                ? nil : NamedMonitor(name: name, subjects: MonitorSubjects(regions: persisted), reports: reports)
        }
        let fake = FakeLocationMonitor(name: name, persisted: left, authorization: authorization)
        made.withLock { $0.append(fake) }
        return fake
    }

    /// Sends the position to all of them.
    func send(latitude: Double, longitude: Double = 13, accuracy: Double = 5) {
        for fake in all {
            fake.send(latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy)
            fake.advance(by: 1)
        }
    }
}
