@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import Testing

/// When what was received before may not be shown any more.
@Suite struct UserViewTests {
    private func status(
        _ authorization: AuthorizationStatus = .authorizedAlways, _ accuracy: AccuracyAuthorization = .full,
        enabled: Bool = true
    ) -> ServiceStatus {
        ServiceStatus(
            authorization: authorization, accuracy: accuracy, enabled: enabled, source: SourceStatus(state: .tracking))
    }

    @Test func nothingIsForgottenWhileThePermissionLasts() {
        var view = UserView()
        #expect(!view.mayKnowPosition && view.status == nil)
        for authorization in [AuthorizationStatus.authorizedAlways, .authorizedWhenInUse, .authorizedAlways] {
            #expect(view.apply(status(authorization)) == nil)
            #expect(view.mayKnowPosition && view.status?.authorization == authorization)
        }
    }

    @Test(arguments: [AuthorizationStatus.denied, .restricted, .notDetermined, .unknown])
    func permissionThatEndsTakesWhatWasReceived(_ authorization: AuthorizationStatus) {
        var view = UserView()
        #expect(view.apply(status()) == nil)
        #expect(view.apply(status(authorization)) == .notAuthorized && !view.mayKnowPosition)
        #expect(view.apply(status()) == nil && view.mayKnowPosition)
    }

    @Test func switchedOffIsForgotten() {
        var view = UserView()
        #expect(view.apply(status(enabled: false)) == .disabled && !view.mayKnowPosition)
        #expect(view.apply(status(.denied, enabled: false)) == .disabled)
    }

    @Test(arguments: [AccuracyAuthorization.reduced, .unknown])
    func lessAccuracyTakesWhatWasReceived(_ accuracy: AccuracyAuthorization) {
        var view = UserView()
        #expect(view.apply(status()) == nil)
        #expect(view.apply(status(.authorizedAlways, accuracy)) == .lessAccurate && view.mayKnowPosition)
        // What comes afterwards is not more accurate, and stays.
        #expect(view.apply(status(.authorizedAlways, accuracy)) == nil)
        #expect(view.apply(status()) == nil)
    }

    @Test func reducedFromTheBeginningTakesNothing() {
        var view = UserView()
        #expect(view.apply(status(.authorizedAlways, .reduced)) == nil)
    }

    /// A location of before the outage is as accurate as it was.
    @Test func outageChangesNothingOfThat() {
        var view = UserView()
        #expect(view.apply(status()) == nil)
        view.applyOutage()
        #expect(view.status == nil && !view.mayKnowPosition)
        #expect(view.apply(status(.authorizedAlways, .reduced)) == .lessAccurate)
    }
}
