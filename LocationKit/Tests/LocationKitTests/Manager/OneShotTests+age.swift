import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

extension OneShotTests {
    @Test func aFreshLocationOfItsOwnAnswersImmediately() throws {
        manager.startUpdating()
        transport.deliver(.connected, try Location.at(accuracy: 20, seconds: 1000).event)
        transport.advance(bySeconds: 5)
        request(maximumAge: 5)
        #expect(answers.values == [.success(try .at(accuracy: 20, seconds: 1000))])
        request(desiredAccuracy: 10, maximumAge: 5)
        request(maximumAge: 4)
        #expect(answers.values.count == 1)
        #expect(transport.lastLocationCalls.map(\.maximumAge) == [5, 4])
    }

    @Test func theServicesLastLocationAnswersWithoutAReceiver() throws {
        let observed = ValueRecorder<Location>()
        manager.addObserver(observed.observer())
        request(maximumAge: 60)
        #expect(transport.interests.isEmpty)
        #expect(transport.deliveries == 1)
        let last = try Location.at(seconds: 950)
        transport.lastLocationCalls.first?.answer(.success(last))
        #expect(answers.values == [.success(last)])
        #expect(manager.location == last)
        #expect(observed.values == [last])
        request(maximumAge: 3600)
        #expect(answers.values == [.success(last), .success(last)])
        #expect(observed.values == [last], "it was delivered before")
        #expect(transport.interests.isEmpty)
        #expect(transport.moment == nil)
    }

    @Test func aLastLocationThatIsNotGoodEnoughIsTheBestSoFar() throws {
        request(desiredAccuracy: 10, maximumAge: 60)
        transport.lastLocationCalls.first?.answer(.success(try .at(accuracy: 30)))
        #expect(answers.values.isEmpty)
        #expect(transport.interest.locations != nil)
        transport.advance(bySeconds: 30)
        #expect(answers.values == [.failure(.timedOut(best: try .at(accuracy: 30)))])
    }

    @Test func withoutALastLocationTheRequestWaitsForANewOne() throws {
        request(maximumAge: .infinity)
        transport.lastLocationCalls.first?.answer(.failure(.unavailable(reason: "none", best: nil)))
        #expect(transport.lastLocationCalls.first?.maximumAge.isFinite == true)
        transport.deliver(.connected, try Location.at().event)
        #expect(answers.values == [.success(try .at())])
    }

    @Test func aNewLocationEndsTheCallForTheLast() throws {
        manager.startUpdating()
        request(maximumAge: 60)
        transport.deliver(.connected, try Location.at().event)
        #expect(answers.values.count == 1)
        #expect(transport.cancelledCalls == 1)
        transport.lastLocationCalls.first?.answer(.success(try .at(metres: 5, seconds: 990)))
        #expect(answers.values.count == 1)
        #expect(manager.location == (try .at()))
    }
}
