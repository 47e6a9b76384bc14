import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import TestSupport

/// A manager made on the main thread, its delegate, and the service that a test scripts.
@MainActor
final class ManagerStage {
    let fake: FakeLocationManager
    let monitors: FakeMonitors
    let backend: LocationBackend
    let manager: CLLocationManager
    let delegate = RecordingDelegate()

    /// - Parameters:
    ///   - hasDelegate: whether the delegate is set, and has received the authorization.
    ///   - persisted: the regions that an earlier run of the program left.
    init(
        authorization: AuthorizationStatus = .authorizedAlways, hasDelegate: Bool = true, persisted: [Region] = []
    ) async {
        fake = FakeLocationManager(authorization: authorization)
        monitors = FakeMonitors(authorization: authorization, persisted: persisted)
        let backend = OpenCoreLocationTests.backend(fake, monitors: monitors)
        self.backend = backend
        manager = LocationBackend.$current.withValue(backend) { CLLocationManager() }
        guard hasDelegate else { return }
        manager.delegate = delegate
        await drainMainQueue()
        delegate.forget()
    }

    /// Returns when everything that is due on the main queue is done.
    func drainMainQueue() async {
        await mainQueueTurn()
    }

    /// Waits until the request that was just made has reached the service.
    func requestArrives() async throws {
        try await eventually("the receiver is wanted") { fake.isReceiverWanted }
    }
}

/// Returns when the main queue has run the blocks that it was given before.
@MainActor
func mainQueueTurn() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
    }
}

/// A manager of the scripted service.
func makeManager(over fake: FakeLocationManager) -> CLLocationManager {
    LocationBackend.$current.withValue(backend(fake)) { CLLocationManager() }
}

/// The backend whose objects are made over a fake.
func backend(
    _ fake: FakeLocationManager, monitors: FakeMonitors = FakeMonitors(), enabled: Bool = true,
    headingAvailable: Bool? = nil
) -> LocationBackend {
    LocationBackend {
        fake
    } status: {
        var source = SourceStatus(state: .tracking)
        source.headingAvailable = headingAvailable
        return ServiceStatus(
            authorization: fake.authorizationStatus, accuracy: .full, enabled: enabled, source: source)
    } makeMonitor: { name in
        monitors.make(name)
    }
}
