import LocationKit
import LocationModel
import Testing

extension OneShotTests {
    @Test func aYoungLocationOfItsOwnAnswersAtOnce() throws {
        manager.startUpdating()
        service.tell(.connected, try Location.at(accuracy: 20, seconds: 1000).event)
        service.advance(bySeconds: 5)
        request(maximumAge: 5)
        #expect(answers.all == [.success(try .at(accuracy: 20, seconds: 1000))])
        request(desiredAccuracy: 10, maximumAge: 5)
        request(maximumAge: 4)
        #expect(answers.all.count == 1)
        #expect(service.lastLocationCalls.map(\.maximumAge) == [5, 4])
    }

    @Test func theServicesLastLocationAnswersWithoutAReceiver() throws {
        request(maximumAge: 60)
        #expect(service.wishes.isEmpty)
        #expect(service.settlings == 1)
        let last = try Location.at(seconds: 950)
        service.lastLocationCalls.first?.answer(.success(last))
        #expect(answers.all == [.success(last)])
        #expect(manager.location == last)
        #expect(service.wishes.isEmpty)
        #expect(service.moment == nil)
    }

    @Test func aLastLocationThatIsNotGoodEnoughIsTheBestSoFar() throws {
        request(desiredAccuracy: 10, maximumAge: 60)
        service.lastLocationCalls.first?.answer(.success(try .at(accuracy: 30)))
        #expect(answers.all.isEmpty)
        #expect(service.wish.locations != nil)
        service.advance(bySeconds: 30)
        #expect(answers.all == [.failure(.timedOut(best: try .at(accuracy: 30)))])
    }

    @Test func withoutALastLocationANewOneIsWaitedFor() throws {
        request(maximumAge: .infinity)
        service.lastLocationCalls.first?.answer(.failure(.unavailable(reason: "none", best: nil)))
        #expect(service.lastLocationCalls.first?.maximumAge.isFinite == true)
        service.tell(.connected, try Location.at().event)
        #expect(answers.all == [.success(try .at())])
    }

    @Test func aNewLocationEndsTheQuestionForTheLast() throws {
        manager.startUpdating()
        request(maximumAge: 60)
        service.tell(.connected, try Location.at().event)
        #expect(answers.all.count == 1)
        #expect(service.cancelledCalls == 1)
        service.lastLocationCalls.first?.answer(.success(try .at(metres: 5, seconds: 990)))
        #expect(answers.all.count == 1)
        #expect(manager.location == (try .at()))
    }
}
