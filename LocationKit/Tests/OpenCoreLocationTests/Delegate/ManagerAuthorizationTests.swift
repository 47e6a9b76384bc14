@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import TestSupport
import Testing

/// Implements the older form of the authorization call only.
private final class OldStyleDelegate: NSObject, CLLocationManagerDelegate {
    var received: [CLAuthorizationStatus] = []

    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        received.append(status)
    }
}

/// Implements both forms.
private final class BothStylesDelegate: NSObject, CLLocationManagerDelegate {
    var new = 0
    var old = 0

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { new += 1 }
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        old += 1
    }
}

@MainActor
struct ManagerAuthorizationTests {
    @Test func aNewDelegateIsCalledSoonAndOnce() async {
        let stage = await ManagerStage(authorization: .denied, hasDelegate: false)
        stage.manager.delegate = stage.delegate
        #expect(stage.delegate.calls.isEmpty)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(.denied)])
        let second = RecordingDelegate()
        stage.manager.delegate = second
        await stage.drainMainQueue()
        #expect(second.calls == [.authorization(.denied)])
        #expect(stage.delegate.calls.count == 1)
    }

    @Test func eitherStyleGetsExactlyOneCall() async {
        let stage = await ManagerStage(hasDelegate: false)
        let old = OldStyleDelegate()
        stage.manager.delegate = old
        await stage.drainMainQueue()
        #expect(old.received == [.authorizedAlways])
        stage.fake.authorizationStatus = .denied
        await stage.drainMainQueue()
        #expect(old.received == [.authorizedAlways, .denied])
        let both = BothStylesDelegate()
        stage.manager.delegate = both
        await stage.drainMainQueue()
        #expect(both.new == 1)
        #expect(both.old == 0)
    }

    @Test func aFailedRequestIsRepeatedWhenTheServiceIsBack() async {
        let stage = await ManagerStage(authorization: .notDetermined)
        stage.fake.disconnect(.daemonNotRunning(path: "/run", reason: "no such file"))
        stage.manager.requestWhenInUseAuthorization()
        #expect(stage.fake.pendingAuthorizationRequests.isEmpty)
        stage.fake.reconnect()
        #expect(stage.fake.pendingAuthorizationRequests == [.whenInUse])
        stage.fake.authorizationStatus = .authorizedWhenInUse
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(.authorizedWhenInUse)])
    }

    @Test func aPendingCallIsSentOnce() async {
        let stage = await ManagerStage(authorization: .notDetermined)
        stage.manager.requestAlwaysAuthorization()
        stage.fake.disconnect()
        stage.fake.reconnect()
        stage.fake.advance(by: 60)
        #expect(stage.fake.pendingAuthorizationRequests == [.always])
    }

    @Test func theStatusIsRightImmediately() {
        let manager = makeManager(over: FakeLocationManager(authorization: .authorizedWhenInUse))
        #expect(manager.authorizationStatus == .authorizedWhenInUse)
        #expect(manager.accuracyAuthorization == .fullAccuracy)
    }

    @Test(arguments: [
        (AuthorizationStatus.authorizedWhenInUse, CLAuthorizationStatus.authorizedWhenInUse), (.denied, .denied),
        (.restricted, .restricted),
    ])
    func aDecisionIsDelivered(answer: AuthorizationStatus, expected: CLAuthorizationStatus) async {
        let stage = await ManagerStage(authorization: .notDetermined)
        stage.manager.requestWhenInUseAuthorization()
        #expect(stage.fake.pendingAuthorizationRequests == [.whenInUse])
        stage.fake.authorizationStatus = answer
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(expected)])
        #expect(stage.manager.authorizationStatus == expected)
    }

    @Test func alwaysIsRequestedAsSuch() async {
        let stage = await ManagerStage(authorization: .notDetermined)
        stage.manager.requestAlwaysAuthorization()
        #expect(stage.fake.pendingAuthorizationRequests == [.always])
    }

    @Test func withoutTheServiceNothingIsDetermined() async {
        let stage = await ManagerStage(hasDelegate: false)
        stage.fake.disconnect(.daemonNotRunning(path: "/nowhere", reason: "none"))
        stage.manager.delegate = stage.delegate
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(.notDetermined)])
        stage.fake.reconnect()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(.notDetermined), .authorization(.authorizedAlways)])
    }

    @Test func theLastStatusStaysValidWhileTheServiceIsAway() async {
        let stage = await ManagerStage(authorization: .authorizedWhenInUse)
        stage.fake.disconnect()
        await stage.drainMainQueue()
        #expect(stage.manager.authorizationStatus == .authorizedWhenInUse)
        stage.fake.reconnect()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
    }

    @Test(arguments: [AccuracyAuthorization.full, .reduced])
    func fullAccuracyIsRequestedOfTheAdministrator(decision: AccuracyAuthorization) async throws {
        let stage = await ManagerStage()
        stage.fake.accuracyAuthorization = .reduced
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.count == 1, "the accuracy has changed")
        let answered = ValueRecorder<CLError.Code?>()
        stage.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
            answered.append(($0 as? CLError)?.code)
        }
        #expect(stage.fake.pendingFullAccuracyPurposes == ["map"])
        await stage.drainMainQueue()
        #expect(answered.values.isEmpty)
        stage.fake.accuracyAuthorization = decision
        await stage.drainMainQueue()
        #expect(answered.values == [decision == .full ? nil : .promptDeclined])
        #expect(stage.manager.accuracyAuthorization == (decision == .full ? .fullAccuracy : .reducedAccuracy))
    }

    @Test func fullAccuracyNeedsAnAuthorization() async throws {
        let stage = await ManagerStage(authorization: .denied)
        await #expect(throws: CLError.self) {
            try await stage.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map")
        }
    }

    @Test func refusedFullAccuracyIsAnError() async throws {
        let stage = await ManagerStage()
        stage.fake.fullAccuracyAnswer = .reduced
        stage.fake.accuracyAuthorization = .reduced
        let error = await withCheckedContinuation { continuation in
            stage.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
                continuation.resume(returning: $0)
            }
        }
        #expect((error as? CLError)?.code == .promptDeclined)
        stage.fake.accuracyAuthorization = .full
        try await stage.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map")
    }

    @Test func aChangeOfAccuracyIsDeliveredWithTheNextLocation() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        stage.fake.accuracyAuthorization = .reduced
        stage.fake.send(latitude: 1, longitude: 1)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(.authorizedAlways), .locations([1])])
    }

    @Test func theClassMethodsCallTheService() {
        let fake = FakeLocationManager(authorization: .restricted)
        LocationBackend.$current.withValue(backend(fake, headingAvailable: true)) {
            #expect(CLLocationManager.authorizationStatus() == .restricted)
            #expect(CLLocationManager.locationServicesEnabled())
            #expect(CLLocationManager.headingAvailable())
        }
        LocationBackend.$current.withValue(backend(fake, enabled: false)) {
            #expect(!CLLocationManager.locationServicesEnabled())
            #expect(!CLLocationManager.headingAvailable())
        }
        LocationBackend.$current.withValue(.daemon(at: "/nowhere/locationd.sock")) {
            #expect(CLLocationManager.authorizationStatus() == .notDetermined)
            #expect(!CLLocationManager.locationServicesEnabled())
        }
    }
}
