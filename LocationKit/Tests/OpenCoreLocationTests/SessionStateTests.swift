@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import OpenCoreLocation

/// What a session requests when, and what it says that it lacks.
struct SessionStateTests {
    private func status(
        _ authorization: AuthorizationStatus, _ accuracy: AccuracyAuthorization = .full, enabled: Bool = true,
        reason: String? = nil
    ) -> ServiceStatus {
        ServiceStatus(
            authorization: authorization, accuracy: accuracy, enabled: enabled,
            source: SourceStatus(state: .stopped, reason: reason))
    }

    @Test(
        arguments: [
            (CLServiceSession.AuthorizationRequirement.none, AuthorizationStatus.notDetermined, nil),
            (.whenInUse, .notDetermined, .whenInUse), (.always, .notDetermined, .always),
            (.whenInUse, .authorizedWhenInUse, nil), (.whenInUse, .authorizedAlways, nil),
            (.always, .authorizedWhenInUse, .always), (.always, .authorizedAlways, nil),
            (.always, .denied, nil), (.always, .restricted, nil),
        ] as [(CLServiceSession.AuthorizationRequirement, AuthorizationStatus, AuthorizationLevel?)])
    func levelIsRequestedIfItIsNotDecided(
        requirement: CLServiceSession.AuthorizationRequirement, authorization: AuthorizationStatus,
        expected: AuthorizationLevel?
    ) {
        var state = SessionState(requirement)
        #expect(state.receive(status(authorization)) == (expected.map { [.level($0)] } ?? []))
        #expect(state.receive(status(authorization)).isEmpty, "once")
    }

    @Test func fullAccuracyFollowsTheLevel() {
        var state = SessionState(.whenInUse, wantsFullAccuracy: true)
        #expect(state.receive(status(.notDetermined)) == [.level(.whenInUse)])
        #expect(state.receive(status(.authorizedWhenInUse, .reduced)) == [.fullAccuracy])
        #expect(state.diagnostic?.authorizationRequestInProgress == true)
        #expect(state.receive(.success(true), to: .level(.whenInUse)).isEmpty)
        #expect(state.receive(.success(false), to: .fullAccuracy).isEmpty)
        #expect(state.diagnostic?.fullAccuracyDenied == true)
        #expect(state.diagnostic?.authorizationRequestInProgress == false)
    }

    @Test func lapseIsRequestedAnew() {
        var state = SessionState(.whenInUse, wantsFullAccuracy: true)
        #expect(state.receive(status(.authorizedAlways, .reduced)) == [.fullAccuracy])
        #expect(state.receive(status(.authorizedAlways)).isEmpty)
        #expect(state.receive(.success(true), to: .fullAccuracy).isEmpty)
        #expect(state.diagnostic?.fullAccuracyDenied == false)
        // The last answer was given before the accuracy was full; its end is a lapse.
        #expect(state.receive(status(.authorizedAlways)).isEmpty)
        #expect(state.receive(status(.authorizedAlways, .reduced)) == [.fullAccuracy])
    }

    @Test func failureIsRepeatedWithTheNextStatus() {
        var state = SessionState(.whenInUse)
        #expect(state.receive(status(.notDetermined)) == [.level(.whenInUse)])
        #expect(state.receive(.failure(.disconnected), to: .level(.whenInUse)).isEmpty)
        #expect(state.receive(status(.notDetermined)) == [.level(.whenInUse)])
    }

    @Test func diagnosticsNameWhatLacks() throws {
        func diagnostic(
            _ requirement: CLServiceSession.AuthorizationRequirement, _ status: ServiceStatus,
            answered: AuthorizationLevel? = nil
        ) throws -> CLServiceSession.Diagnostic {
            var state = SessionState(requirement)
            _ = state.receive(status)
            if let answered { _ = state.receive(.success(false), to: .level(answered)) }
            return try #require(state.diagnostic)
        }
        let denied = try diagnostic(.whenInUse, status(.denied))
        #expect(denied.authorizationDenied && !denied.authorizationDeniedGlobally && !denied.authorizationRestricted)
        let off = try diagnostic(.whenInUse, status(.authorizedAlways, enabled: false))
        #expect(off.authorizationDenied && off.authorizationDeniedGlobally)
        #expect(try diagnostic(.always, status(.restricted)).authorizationRestricted)
        #expect(try diagnostic(.none, status(.authorizedWhenInUse, reason: "no session")).insufficientlyInUse)
        #expect(try !diagnostic(.none, status(.authorizedWhenInUse)).insufficientlyInUse)
        let less = try diagnostic(.always, status(.authorizedWhenInUse), answered: .always)
        #expect(less.alwaysAuthorizationDenied && !less.authorizationRequestInProgress && !less.authorizationDenied)
        #expect(try diagnostic(.always, status(.authorizedWhenInUse)).authorizationRequestInProgress)
        #expect(SessionState(.always).diagnostic == nil)
    }
}
