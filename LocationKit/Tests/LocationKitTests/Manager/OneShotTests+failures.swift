@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

extension OneShotTests {
    @Test func anUnreachableReceiverIsNamedAtTheTimeOut() {
        request()
        transport.deliver(.connected, .status(.with(source: .unavailable, reason: "no gpsd")))
        #expect(answers.values.isEmpty)
        transport.advance(bySeconds: 30)
        #expect(answers.values == [.failure(.unavailable(reason: "no gpsd", best: nil))])
    }

    @Test func aRequestThatWaitsForASessionSaysSoAtTheTimeOut() {
        request()
        transport.deliver(.connected, .status(.with(.authorizedWhenInUse, source: .stopped, reason: "nobody is here")))
        #expect(answers.values.isEmpty)
        transport.advance(bySeconds: 30)
        #expect(answers.values == [.failure(.unavailable(reason: "nobody is here", best: nil))])
    }

    @Test(arguments: [AuthorizationStatus.denied, .restricted, .notDetermined])
    func aRefusalIsReportedImmediately(status: AuthorizationStatus) {
        request()
        transport.deliver(.connected, .status(.with(status, source: .stopped, reason: "no")))
        #expect(answers.values == [.failure(.unauthorized(status, reason: "no"))])
        #expect(transport.interest.isEmpty)
    }

    @Test func aDisabledServiceIsReportedImmediately() {
        let loop = manager.statuses
        transport.deliver(.connected, .status(.with(enabled: false)))
        request()
        #expect(answers.values == [.failure(.disabled)])
        #expect(transport.interest.locations == nil)
        withExtendedLifetime(loop) {}
    }

    @Test func anAbsentServiceIsReportedImmediately() {
        request()
        transport.deliver(.disconnected(.gone))
        #expect(answers.values == [.failure(.gone)])
        manager.startUpdating()
        transport.deliver(.disconnected(.gone))
        request()
        #expect(answers.values.count == 2)
    }

    @Test func requestsWaitForAServiceThatHasEnded() throws {
        request()
        transport.deliver(.connected, .status(.tracking), .disconnected(.disconnected), .disconnected(.gone))
        #expect(answers.values.isEmpty)
        transport.deliver(.connected, try Location.at().event)
        #expect(answers.values == [.success(try .at())])
    }

    @Test func aServiceThatHasJustEndedGetsOneRetry() throws {
        manager.startUpdating()
        transport.deliver(.connected, .disconnected(.disconnected))
        request()
        #expect(answers.values.isEmpty)
        transport.deliver(.disconnected(.gone))
        #expect(answers.values == [.failure(.gone)])
    }

    /// It would be waited for in vain.
    @Test func anAccuracyThatNoLocationHasIsRefused() throws {
        request(desiredAccuracy: 0)
        #expect(answers.values == [.failure(.invalidParameter("desiredAccuracy", reason: "metres, more than 0"))])
        #expect(transport.interests.isEmpty)
    }

    @Test(arguments: [-1, .nan, -.infinity] as [Double])
    func aTimeOutThatIsNoneIsRefused(timeout: Double) throws {
        request(timeout: timeout)
        guard case .failure(.invalidParameter("timeout", _)) = try #require(answers.values.first) else {
            Issue.record("\(answers.values)")
            return
        }
        #expect(transport.interests.isEmpty)
    }
}
