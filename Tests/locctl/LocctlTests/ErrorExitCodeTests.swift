@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Testing

@testable import locctl

/// The exit code of each failure, which scripts read: the manual page names them.
@Suite struct ErrorExitCodeTests {
    /// Written out, so that a constant that changes is noticed.
    @Test(
        arguments: [
            (.timedOut(best: nil), 5), (.unavailable(reason: "", best: nil), 5), (.disabled, 5),
            (.unauthorized(.denied, reason: ""), 4), (.unauthorized(.notDetermined, reason: ""), 4),
            (.daemonNotRunning(path: "", reason: ""), 3), (.disconnected, 3), (.tooManyClients(limit: 1), 3),
            (.invalidParameter("", reason: ""), 2),
            (.cancelled, 1), (.refused(error: "", reason: nil), 1), (.protocolViolation(""), 1),
            (.tooManyRequests(limit: 1), 1), (.tooManyAuthorizations(limit: 1), 1), (.tooManyRegions(limit: 1), 1),
            (.noSuchMonitor(name: ""), 1), (.monitorInUse(name: ""), 1),
        ] as [(LocationError, Int32)])
    func failureOfALocation(error: LocationError, code: Int32) {
        #expect(error.exitCode == code)
    }

    @Test(
        arguments: [
            (.noResult, 5), (.serviceNotReachable(path: "", reason: ""), 3), (.disconnected, 3),
            (.invalidParameter("", reason: ""), 2),
            (.partialResult([]), 1), (.network(reason: ""), 1), (.busy(limit: 1), 1), (.requestInProgress, 1),
            (.cancelled, 1), (.refused(error: "", reason: nil), 1), (.protocolViolation(""), 1),
        ] as [(GeocodingError, Int32)])
    func failureOfAPlace(error: GeocodingError, code: Int32) {
        #expect(error.exitCode == code)
    }

    @Test func onlyWhoIsUndecidedIsAdvisedToRequest() {
        #expect(
            LocationError.unauthorized(.notDetermined, reason: "").nextStep?
                .contains("locctl request-authorization") == true)
        for error: LocationError in [
            .unauthorized(.denied, reason: ""), .unauthorized(.restricted, reason: ""), .disabled,
        ] {
            #expect(error.nextStep == nil)
        }
    }
}
