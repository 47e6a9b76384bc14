import LocationKit
import LocationModel
import Testing

@Suite struct ManagerSequenceTests {
    private let service = ManagerTestTransport()
    private let manager: LocationManager

    init() {
        manager = LocationManager(LocationConfiguration(), service: service)
    }

    @Test func loopsAskForWhatTheyAreTold() {
        var kept: [Any] = [manager.locations]
        #expect(service.wish.locations == LocationFilter())
        #expect(!service.wish.status)
        kept = [manager.headings]
        #expect(service.wish.locations == nil)
        #expect(service.wish.headings)
        kept = [manager.statuses]
        #expect(service.wish.status)
        #expect(!service.wish.headings)
        kept = [manager.authorizationStatuses]
        #expect(service.wish.status)
        kept = [manager.updates]
        #expect(service.wish.locations != nil)
        kept = []
        #expect(kept.isEmpty)
        #expect(service.wish.isEmpty)
    }

    @Test func aLoopGoesOnThroughFailuresAndEndsWithItsTask() async throws {
        let loop = manager.locations
        let task = Task {
            var seen: [Double] = []
            for await location in loop { seen.append(location.coordinate.longitude) }
            return seen
        }
        service.tell(.connected, try Location.at().event, .disconnected(.disconnected), .disconnected(.gone))
        service.tell(.connected, .status(.denied), try Location.at(metres: 9).event)
        task.cancel()
        let seen = await task.value
        #expect(seen.count <= 2)
        #expect(service.wish.isEmpty)
    }

    @Test func aSlowLoopFindsTheNewest256() async throws {
        let loop = manager.locations
        for number in 0..<300 { service.tell(try Location.at(metres: Double(number)).event) }
        var iterator = loop.makeAsyncIterator()
        #expect(await iterator.next() == (try .at(metres: 44)))
    }

    @Test func updatesTellLocationsAndOnceWhyThereAreNone() async throws {
        let loop = manager.updates
        service.tell(.disconnected(.gone), .disconnected(.gone), .connected)
        service.tell(
            .status(.with(source: .searching, reason: "no sky")), .status(.with(source: .searching, reason: "no sky")))
        service.tell(.status(.tracking), try Location.at().event, .status(.with(source: .lost)))
        service.tell(try Location.at(metres: 5).event, .status(.with(source: .lost)))
        service.tell(.status(.with(.authorizedWhenInUse, source: .stopped, reason: "nobody is here")))
        var reports: [LocationReport] = []
        for await report in loop {
            reports.append(report)
            if reports.count == 7 { break }
        }
        let lost = LocationReport.noLocation(.unavailable(reason: "the receiver has lost its fix", best: nil))
        #expect(
            reports == [
                .noLocation(.gone), .noLocation(.unavailable(reason: "no sky", best: nil)), .location(try .at()), lost,
                .location(try .at(metres: 5)), lost, .noLocation(.unavailable(reason: "nobody is here", best: nil)),
            ])
    }

    @Test func aLaterLoopOverUpdatesIsToldThePresentReasonAlone() async throws {
        let first = manager.updates
        service.tell(.connected, .status(.denied))
        let second = manager.updates
        service.tell(.status(.denied), .status(.with(enabled: false)))
        for loop in [first, second] {
            var iterator = loop.makeAsyncIterator()
            #expect(await iterator.next() == .noLocation(.unauthorized(.denied, reason: "refused")))
            #expect(await iterator.next() == .noLocation(.disabled))
        }
    }

    @Test func statusesBeginWithTheKnownOne() async {
        let first = manager.statuses
        service.tell(.connected, .status(.denied))
        let second = manager.statuses
        service.tell(.status(.denied), .status(.tracking))
        for loop in [first, second] {
            var iterator = loop.makeAsyncIterator()
            #expect(await iterator.next() == .denied)
            #expect(await iterator.next() == .tracking)
        }
    }

    @Test func authorizationsBeginWithThePresentOneAndTellChanges() async {
        service.answerStatus(.failure(.gone))
        var iterator = manager.authorizationStatuses.makeAsyncIterator()
        #expect(await iterator.next() == .notDetermined)
        service.tell(.connected, .status(.with(.notDetermined)), .status(.denied), .status(.denied))
        service.tell(.disconnected(.gone), .connected, .status(.denied), .status(.tracking))
        #expect(await iterator.next() == .denied)
        #expect(await iterator.next() == .authorizedAlways)
    }

    @Test func anObserverOfAuthorizationIsToldTheFirstThatComesAndChanges() {
        let (early, late) = (Notes<AuthorizationStatus>(), Notes<AuthorizationStatus>())
        manager.addObserver(early.observer())
        #expect(service.wish.status)
        #expect(early.all.isEmpty)
        service.tell(.connected, .status(.denied))
        manager.addObserver(late.observer())
        #expect(late.all == [.denied])
        service.tell(.status(.denied), .status(.tracking))
        #expect(early.all == [.denied, .authorizedAlways])
        #expect(late.all == [.denied, .authorizedAlways])
    }
}
