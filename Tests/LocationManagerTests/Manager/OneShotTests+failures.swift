import LocationKit
import LocationModel
import Testing

extension OneShotTests {
    @Test func anUnreachableReceiverIsNamedAtTheTimeOut() {
        request()
        transport.deliver(.connected, .status(.with(source: .unavailable, reason: "no gpsd")))
        #expect(answers.all.isEmpty)
        transport.advance(bySeconds: 30)
        #expect(answers.all == [.failure(.unavailable(reason: "no gpsd", best: nil))])
    }

    @Test func aRequestThatWaitsForASessionSaysSoAtTheTimeOut() {
        request()
        transport.deliver(.connected, .status(.with(.authorizedWhenInUse, source: .stopped, reason: "nobody is here")))
        #expect(answers.all.isEmpty)
        transport.advance(bySeconds: 30)
        #expect(answers.all == [.failure(.unavailable(reason: "nobody is here", best: nil))])
    }

    @Test(arguments: [AuthorizationStatus.denied, .restricted, .notDetermined])
    func aRefusalIsReportedImmediately(status: AuthorizationStatus) {
        request()
        transport.deliver(.connected, .status(.with(status, source: .stopped, reason: "no")))
        #expect(answers.all == [.failure(.unauthorized(status, reason: "no"))])
        #expect(transport.interest.isEmpty)
    }

    @Test func aDisabledServiceIsReportedImmediately() {
        let loop = manager.statuses
        transport.deliver(.connected, .status(.with(enabled: false)))
        request()
        #expect(answers.all == [.failure(.disabled)])
        #expect(transport.interest.locations == nil)
        withExtendedLifetime(loop) {}
    }

    @Test func anAbsentServiceIsReportedImmediately() {
        request()
        transport.deliver(.disconnected(.gone))
        #expect(answers.all == [.failure(.gone)])
        manager.startUpdating()
        transport.deliver(.disconnected(.gone))
        request()
        #expect(answers.all.count == 2)
    }

    @Test func requestsWaitForAServiceThatHasEnded() throws {
        request()
        transport.deliver(.connected, .status(.tracking), .disconnected(.disconnected), .disconnected(.gone))
        #expect(answers.all.isEmpty)
        transport.deliver(.connected, try Location.at().event)
        #expect(answers.all == [.success(try .at())])
    }

    @Test func aServiceThatHasJustEndedGetsOneRetry() throws {
        manager.startUpdating()
        transport.deliver(.connected, .disconnected(.disconnected))
        request()
        #expect(answers.all.isEmpty)
        transport.deliver(.disconnected(.gone))
        #expect(answers.all == [.failure(.gone)])
    }

    @Test(arguments: [-1, .nan, -.infinity] as [Double])
    func aTimeOutThatIsNoneIsRefused(timeout: Double) throws {
        request(timeout: timeout)
        guard case .failure(.invalidParameter("timeout", _)) = try #require(answers.all.first) else {
            Issue.record("\(answers.all)")
            return
        }
        #expect(transport.interests.isEmpty)
    }
}
