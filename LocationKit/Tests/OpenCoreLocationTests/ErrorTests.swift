@_spi(Programs) import LocationKit
@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct ErrorTests {
    private let denied: any Error = CLError(.denied)

    @Test func isCaughtByItsCode() {
        func kind(_ error: any Error) -> String {
            do {
                throw error
            } catch CLError.denied {
                return "denied"
            } catch CLError.network {
                return "network"
            } catch let error as CLError {
                return "\(error.code.rawValue)"
            } catch {
                return "other"
            }
        }
        #expect(kind(denied) == "denied")
        #expect(kind(CLError(.network)) == "network")
        #expect(kind(CLError(CLError.headingFailure)) == "3")
        #expect(kind(CocoaError(.fileNoSuchFile)) == "other")
    }

    @Test func isSwitchedOnInEveryStyle() throws {
        #expect((denied as? CLError)?.code == .denied)
        let error = try #require(denied as? CLError)
        switch error {
        case CLError.denied: break
        default: Issue.record("not denied")
        }
        switch error.code {
        case .denied: break
        default: Issue.record("not denied")
        }
        #expect(CLError.Code(rawValue: (denied as NSError).code) == .denied)
    }

    @Test func isAnNSError() {
        let error = CLError(.regionMonitoringFailure, userInfo: [NSLocalizedDescriptionKey: "no regions"])
        let bridged = (error as any Error) as NSError
        #expect(bridged.domain == kCLErrorDomain)
        #expect(bridged.domain == CLError.errorDomain)
        #expect(bridged.code == CLError.regionMonitoringFailure.rawValue)
        #expect(bridged.localizedDescription == "no regions")
        #expect(error.localizedDescription == "no regions")
        #expect(CLError(_nsError: bridged) == error)
        #expect(error != CLError(.regionMonitoringFailure))
    }

    @Test func strangeErrorsDoNotTrap() {
        #expect(CLError(_nsError: NSError(domain: kCLErrorDomain, code: 99)).code == .locationUnknown)
        #expect(CLError(_nsError: NSError(domain: "elsewhere", code: 1)).code == .locationUnknown)
        #expect(CLError.Code(rawValue: 20) == nil)
    }

    @Test func codesAreApples() {
        let codes: [CLError.Code] = [
            CLError.locationUnknown, CLError.denied, CLError.network, CLError.headingFailure,
            CLError.regionMonitoringDenied, CLError.regionMonitoringFailure, CLError.regionMonitoringSetupDelayed,
            CLError.regionMonitoringResponseDelayed, CLError.geocodeFoundNoResult, CLError.geocodeFoundPartialResult,
            CLError.geocodeCanceled, CLError.deferredFailed, CLError.deferredNotUpdatingLocation,
            CLError.deferredAccuracyTooLow, CLError.deferredDistanceFiltered, CLError.deferredCanceled,
            CLError.rangingUnavailable, CLError.rangingFailure, CLError.promptDeclined,
            CLError.historicalLocationError,
        ]
        #expect(codes.map(\.rawValue) == Array(0...19))
    }

    @Test(
        arguments: [
            (.unauthorized(.denied, reason: "ask an administrator"), .denied), (.disabled, .denied),
            (.unavailable(reason: "no receiver", best: nil), .locationUnknown),
            (.timedOut(best: nil), .locationUnknown),
            (.disconnected, .locationUnknown), (.daemonNotRunning(path: "/x", reason: "no such file"), .network),
            (.protocolViolation("noise"), .network), (.tooManyClients(limit: 3), .network),
        ] as [(LocationError, CLError.Code)])
    func serviceErrorsKeepTheirNextStep(_ error: LocationError, _ code: CLError.Code) {
        let received = CLError(error)
        #expect(received.code == code)
        #expect(received.localizedDescription == error.description)
        #expect((received as any Error).localizedDescription == error.description)
        #expect(received.userInfo[NSUnderlyingErrorKey] as? LocationError == error)
    }
}
