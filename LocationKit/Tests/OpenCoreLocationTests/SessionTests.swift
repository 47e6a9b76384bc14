@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import TestSupport
import Testing

/// Sessions over a scripted service.
struct SessionTests {
    private func over<Value>(_ fake: FakeLocationManager, _ body: () throws -> Value) rethrows -> Value {
        try LocationBackend.$current.withValue(backend(fake), operation: body)
    }

    /// Reads diagnostics until one fits.
    private func firstDiagnostic(
        of session: CLServiceSession, _ fits: (CLServiceSession.Diagnostic) -> Bool
    ) async throws -> CLServiceSession.Diagnostic? {
        for try await diagnostic in session.diagnostics where fits(diagnostic) { return diagnostic }
        return nil
    }

    @Test func sessionRequestsItsLevel() async throws {
        let fake = FakeLocationManager(authorization: .notDetermined)
        let session = over(fake) { CLServiceSession(authorization: .always) }
        try await eventually("it is requested") { fake.pendingAuthorizationRequests == [.always] }
        #expect(try await firstDiagnostic(of: session) { $0.authorizationRequestInProgress } != nil)
        fake.authorizationStatus = .authorizedWhenInUse
        let answer = try await firstDiagnostic(of: session) { !$0.authorizationRequestInProgress }
        #expect(answer?.alwaysAuthorizationDenied == true && answer?.authorizationDenied == false)
        session.invalidate()
    }

    @Test func sessionRequestsFullAccuracyAgainAfterALapse() async throws {
        let fake = FakeLocationManager(authorization: .authorizedWhenInUse, accuracy: .reduced)
        let session = over(fake) { CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "gate") }
        try await eventually("it is requested") { fake.pendingFullAccuracyPurposes == ["gate"] }
        fake.accuracyAuthorization = .full
        let granted = try await firstDiagnostic(of: session) { !$0.authorizationRequestInProgress }
        #expect(granted?.fullAccuracyDenied == false)
        try await eventually("the answer has arrived") {
            fake.accuracyAuthorization = .full
            fake.accuracyAuthorization = .reduced
            return fake.pendingFullAccuracyPurposes == ["gate"]
        }
        fake.accuracyAuthorization = .reduced
        #expect(try await firstDiagnostic(of: session) { $0.fullAccuracyDenied } != nil)
    }

    @Test func loopsEndWithTheSession() async throws {
        let fake = FakeLocationManager()
        let session = over(fake) { CLServiceSession(authorization: .whenInUse) }
        let diagnostics = session.diagnostics
        session.invalidate()
        for try await _ in diagnostics { Issue.record("the session has ended") }
        let background = over(fake) { CLBackgroundActivitySession() }
        var loop = background.diagnostics.makeAsyncIterator()
        let first = try await loop.next()
        #expect(first?.authorizationDenied == false && first?.serviceSessionRequired == false)
        fake.authorizationStatus = .denied
        #expect(try await loop.next()?.authorizationDenied == true)
        background.invalidate()
        #expect(try await loop.next() == nil)
    }

    @Test func backgroundSessionRequestsNothing() async throws {
        let fake = FakeLocationManager(authorization: .notDetermined)
        let session = over(fake) { CLBackgroundActivitySession() }
        var loop = session.diagnostics.makeAsyncIterator()
        #expect(try await loop.next()?.authorizationRequestInProgress == false)
        #expect(fake.pendingAuthorizationRequests.isEmpty)
    }

    @Test func liveUpdatesRequestTheAuthorization() async throws {
        let fake = FakeLocationManager(authorization: .notDetermined)
        var updates = over(fake) { CLLocationUpdate.liveUpdates() }.makeAsyncIterator()
        #expect(try await updates.next()?.authorizationRequestInProgress == true)
        try await eventually("it is requested") { fake.pendingAuthorizationRequests == [.whenInUse] }
        fake.authorizationStatus = .authorizedWhenInUse
        fake.send(latitude: 1, longitude: 2)
        var location: CLLocation?
        while location == nil, let update = try await updates.next() { location = update.location }
        #expect(location?.coordinate.latitude == 1)
    }

    @Test func releasedSessionReleasesItsManager() async throws {
        let fake = FakeLocationManager()
        weak var manager: LocationManager?
        do {
            let own = FakeLocationManager()
            manager = own.manager
            _ = over(own) { CLServiceSession(authorization: .always) }
        }
        try await eventually("it is released") { manager == nil }
        _ = fake
    }
}
