import LocationKit
import LocationModel
import Testing

@Suite struct ManagerSequenceTests {
    private let transport = ManagerTestTransport()
    private let manager: LocationManager

    init() {
        manager = LocationManager(LocationConfiguration(), transport: transport)
    }

    @Test func loopsAskForWhatTheyAreTold() {
        var persisted: [Any] = [manager.locations]
        #expect(transport.interest.locations == LocationFilter())
        #expect(!transport.interest.status)
        persisted = [manager.headings]
        #expect(transport.interest.locations == nil)
        #expect(transport.interest.headings)
        persisted = [manager.statuses]
        #expect(transport.interest.status)
        #expect(!transport.interest.headings)
        persisted = [manager.authorizationStatuses]
        #expect(transport.interest.status)
        persisted = [manager.updates]
        #expect(transport.interest.locations != nil)
        persisted = []
        #expect(persisted.isEmpty)
        #expect(transport.interest.isEmpty)
    }

    @Test func aLoopGoesOnThroughFailuresAndEndsWithItsTask() async throws {
        let loop = manager.locations
        let task = Task {
            var seen: [Double] = []
            for await location in loop { seen.append(location.coordinate.longitude) }
            return seen
        }
        transport.tell(.connected, try Location.at().event, .disconnected(.disconnected), .disconnected(.gone))
        transport.tell(.connected, .status(.denied), try Location.at(metres: 9).event)
        task.cancel()
        let seen = await task.value
        #expect(seen.count <= 2)
        #expect(transport.interest.isEmpty)
    }

    @Test func aSlowLoopFindsTheNewest256() async throws {
        let loop = manager.locations
        for number in 0..<300 { transport.tell(try Location.at(metres: Double(number)).event) }
        var iterator = loop.makeAsyncIterator()
        #expect(await iterator.next() == (try .at(metres: 44)))
    }

    @Test func updatesTellLocationsAndOnceWhyThereAreNone() async throws {
        let loop = manager.updates
        transport.tell(.disconnected(.gone), .disconnected(.gone), .connected)
        transport.tell(
            .status(.with(source: .searching, reason: "no sky")), .status(.with(source: .searching, reason: "no sky")))
        transport.tell(.status(.tracking), try Location.at().event, .status(.with(source: .lost)))
        transport.tell(try Location.at(metres: 5).event, .status(.with(source: .lost)))
        transport.tell(.status(.with(.authorizedWhenInUse, source: .stopped, reason: "nobody is here")))
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
        transport.tell(.connected, .status(.denied))
        let second = manager.updates
        transport.tell(.status(.denied), .status(.with(enabled: false)))
        for loop in [first, second] {
            var iterator = loop.makeAsyncIterator()
            #expect(await iterator.next() == .noLocation(.unauthorized(.denied, reason: "refused")))
            #expect(await iterator.next() == .noLocation(.disabled))
        }
    }

    @Test func statusesBeginWithTheKnownOne() async {
        let first = manager.statuses
        transport.tell(.connected, .status(.denied))
        let second = manager.statuses
        transport.tell(.status(.denied), .status(.tracking))
        for loop in [first, second] {
            var iterator = loop.makeAsyncIterator()
            #expect(await iterator.next() == .denied)
            #expect(await iterator.next() == .tracking)
        }
    }

    @Test func authorizationsBeginWithThePresentOneAndTellChanges() async {
        transport.answerStatus(.failure(.gone))
        var iterator = manager.authorizationStatuses.makeAsyncIterator()
        #expect(await iterator.next() == .notDetermined)
        transport.tell(.connected, .status(.with(.notDetermined)), .status(.denied), .status(.denied))
        transport.tell(.disconnected(.gone), .connected, .status(.denied), .status(.tracking))
        #expect(await iterator.next() == .denied)
        #expect(await iterator.next() == .authorizedAlways)
    }

    @Test func anObserverOfAuthorizationIsToldTheFirstThatComesAndChanges() {
        let (early, late) = (Notes<AuthorizationStatus>(), Notes<AuthorizationStatus>())
        manager.addObserver(early.observer())
        #expect(transport.interest.status)
        #expect(early.all.isEmpty)
        transport.tell(.connected, .status(.denied))
        manager.addObserver(late.observer())
        #expect(late.all == [.denied])
        transport.tell(.status(.denied), .status(.tracking))
        #expect(early.all == [.denied, .authorizedAlways])
        #expect(late.all == [.denied, .authorizedAlways])
    }
}
