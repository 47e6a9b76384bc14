import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The test sets the authorization, at once or later.
struct FakeAuthorizationTests {
    @Test func answerDecidesImmediately() async throws {
        let fake = FakeLocationManager(authorization: .notDetermined)
        let received = ValueRecorder<AuthorizationStatus>()
        fake.addObserver(received.observer())
        fake.authorizationAnswer = .authorizedWhenInUse
        #expect(fake.authorizationStatus == .notDetermined)
        let isGranted = try await fake.requestAuthorization(for: .whenInUse)
        #expect(isGranted)
        #expect(received.values == [.notDetermined, .authorizedWhenInUse])
        fake.authorizationAnswer = .authorizedAlways
        let isRaised = try await fake.requestAuthorization(for: .always)
        #expect(isRaised, "a higher level is decided anew")
        #expect(received.values == [.notDetermined, .authorizedWhenInUse, .authorizedAlways])
    }

    @Test func decisionAnswersAllPendingRequests() {
        let fake = FakeLocationManager(authorization: .notDetermined)
        let answers = ValueRecorder<Result<Bool, LocationError>>()
        for level in [AuthorizationLevel.always, .whenInUse] {
            fake.requestAuthorization(for: level, startUpdating: false) { answers.append($0) }
        }
        #expect(Set(fake.pendingAuthorizationRequests).isSubset(of: [.always, .whenInUse]))
        #expect(!fake.pendingAuthorizationRequests.isEmpty && answers.values.isEmpty)
        fake.authorizationStatus = .authorizedWhenInUse
        #expect(fake.pendingAuthorizationRequests.isEmpty)
        #expect(answers.values.count == 2)
        #expect(Set(answers.values) == [.success(true), .success(false)])
    }

    @Test func requestThatCannotBeMadeFails() {
        let fake = FakeLocationManager(authorization: .notDetermined)
        let answers = ValueRecorder<Result<Bool, LocationError>>()
        fake.disconnect()
        fake.requestAuthorization(for: .always, startUpdating: true) { answers.append($0) }
        #expect(answers.values == [.failure(.disconnected)])
        #expect(fake.pendingAuthorizationRequests.isEmpty && !fake.isUpdating)
    }
}
