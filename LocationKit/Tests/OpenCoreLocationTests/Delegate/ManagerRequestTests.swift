@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import OpenCoreLocation
import TestSupport
import Testing

@MainActor
struct ManagerRequestTests {
    /// Waits until the delegate was called.
    private func answer(on stage: ManagerStage) async throws -> [RecordingDelegate.Call] {
        try await eventually("the request is answered") { !stage.delegate.calls.isEmpty }
        await stage.drainMainQueue()
        return stage.delegate.calls
    }

    @Test func oneLocationIsDeliveredAndTheReceiverStops() async throws {
        let stage = await ManagerStage()
        stage.manager.requestLocation()
        stage.manager.requestLocation()
        try await stage.requestArrives()
        stage.fake.send(latitude: 1, longitude: 0)
        #expect(try await answer(on: stage) == [.locations([1])])
        #expect(!stage.fake.isReceiverWanted)
        stage.fake.send(latitude: 2, longitude: 0)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations([1])])
    }

    @Test func noLocationInTimeIsUnknown() async throws {
        let stage = await ManagerStage()
        stage.manager.requestLocation()
        try await stage.requestArrives()
        stage.fake.advance(by: 31)
        #expect(try await answer(on: stage) == [.failure(.locationUnknown)])
    }

    @Test func theBestLocationIsDeliveredIfNoneIsGoodEnough() async throws {
        let stage = await ManagerStage()
        stage.manager.desiredAccuracy = kCLLocationAccuracyNearestTenMeters
        stage.manager.requestLocation()
        try await stage.requestArrives()
        stage.fake.send(latitude: 1, longitude: 0, horizontalAccuracy: 80)
        stage.fake.send(latitude: 2, longitude: 0, horizontalAccuracy: 50)
        stage.fake.send(latitude: 3, longitude: 0, horizontalAccuracy: 90)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
        stage.fake.advance(by: 31)
        #expect(try await answer(on: stage) == [.locations([2])])
    }

    @Test func stopCancelsIt() async throws {
        let stage = await ManagerStage()
        stage.manager.requestLocation()
        try await stage.requestArrives()
        stage.manager.stopUpdatingLocation()
        try await eventually("the receiver rests") { !stage.fake.isReceiverWanted }
        stage.fake.send(latitude: 1, longitude: 0)
        stage.fake.advance(by: 31)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
        stage.manager.requestLocation()
        try await stage.requestArrives()
        stage.fake.send(latitude: 2, longitude: 0)
        #expect(try await answer(on: stage) == [.locations([2])])
    }

    @Test func updatingTakesItsPlace() async throws {
        let stage = await ManagerStage()
        stage.manager.requestLocation()
        try await stage.requestArrives()
        stage.manager.startUpdatingLocation()
        stage.manager.requestLocation()
        stage.fake.send(latitude: 1, longitude: 0)
        #expect(try await answer(on: stage) == [.locations([1])])
    }

    @Test func aDenialIsReportedImmediately() async throws {
        let stage = await ManagerStage(authorization: .denied)
        stage.manager.requestLocation()
        #expect(try await answer(on: stage) == [.failure(.denied)])
    }

    @Test func itWaitsForTheDecision() async throws {
        let stage = await ManagerStage(authorization: .notDetermined)
        stage.manager.requestWhenInUseAuthorization()
        stage.manager.requestLocation()
        stage.fake.authorizationStatus = .authorizedWhenInUse
        try await stage.requestArrives()
        stage.fake.send(latitude: 1, longitude: 0)
        try await eventually("the location is delivered") { stage.delegate.calls.count >= 2 }
        #expect(stage.delegate.calls == [.authorization(.authorizedWhenInUse), .locations([1])])
    }

    @Test func aReleasedManagerCancelsItsRequest() async throws {
        let fake = FakeLocationManager()
        do {
            let manager = makeManager(over: fake)
            manager.requestLocation()
            try await eventually("the receiver is wanted") { fake.isReceiverWanted }
        }
        try await eventually("the receiver rests") { !fake.isReceiverWanted }
        #expect(!fake.isReceiverWanted)
    }
}
