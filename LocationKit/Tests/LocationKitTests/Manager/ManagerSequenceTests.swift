import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ManagerSequenceTests {
    private let transport = ManagerTestTransport()
    private let manager: LocationManager

    init() {
        manager = LocationManager(LocationConfiguration(), transport: transport)
    }

    @Test func loopsRequestTheirValues() {
        var persisted: [Any] = [manager.locations]
        #expect(transport.interest.locations?.filter == LocationFilter())
        #expect(transport.interest.status == nil)
        persisted = [manager.headings]
        #expect(transport.interest.locations == nil)
        #expect(transport.interest.headings != nil)
        persisted = [manager.statuses]
        #expect(transport.interest.status != nil)
        #expect(transport.interest.headings == nil)
        persisted = [manager.authorizationStatuses]
        #expect(transport.interest.status != nil)
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
        transport.deliver(.connected, try Location.at().event, .disconnected(.disconnected), .disconnected(.gone))
        transport.deliver(.connected, .status(.denied), try Location.at(metres: 9).event)
        task.cancel()
        let seen = await task.value
        #expect(seen.count <= 2)
        #expect(transport.interest.isEmpty)
    }

    @Test func aSlowLoopFindsTheNewest256() async throws {
        let loop = manager.locations
        for number in 0..<300 { transport.deliver(try Location.at(metres: Double(number)).event) }
        var iterator = loop.makeAsyncIterator()
        #expect(await iterator.next() == (try .at(metres: 44)))
    }

    @Test func updatesDeliverLocationsAndOnceWhyThereAreNone() async throws {
        let loop = manager.updates
        transport.deliver(.disconnected(.gone), .disconnected(.gone), .connected)
        transport.deliver(
            .status(.with(source: .searching, reason: "no sky")), .status(.with(source: .searching, reason: "no sky")))
        transport.deliver(.status(.tracking), try Location.at().event, .status(.with(source: .lost)))
        transport.deliver(try Location.at(metres: 5).event, .status(.with(source: .lost)))
        transport.deliver(.status(.with(.authorizedWhenInUse, source: .stopped, reason: "nobody is here")))
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

    @Test func aLaterLoopOverUpdatesReceivesOnlyTheCurrentReason() async throws {
        let first = manager.updates
        transport.deliver(.connected, .status(.denied))
        let second = manager.updates
        transport.deliver(.status(.denied), .status(.with(enabled: false)))
        for loop in [first, second] {
            var iterator = loop.makeAsyncIterator()
            #expect(await iterator.next() == .noLocation(.unauthorized(.denied, reason: "refused")))
            #expect(await iterator.next() == .noLocation(.disabled))
        }
    }

    @Test func statusesBeginWithTheKnownOne() async {
        let first = manager.statuses
        transport.deliver(.connected, .status(.denied))
        let second = manager.statuses
        transport.deliver(.status(.denied), .status(.tracking))
        for loop in [first, second] {
            var iterator = loop.makeAsyncIterator()
            #expect(await iterator.next() == .denied)
            #expect(await iterator.next() == .tracking)
        }
    }

    @Test func authorizationsBeginWithTheCurrentOneAndThenChanges() async {
        transport.answerStatus(.failure(.gone))
        var iterator = manager.authorizationStatuses.makeAsyncIterator()
        #expect(await iterator.next() == .notDetermined)
        transport.deliver(.connected, .status(.with(.notDetermined)), .status(.denied), .status(.denied))
        transport.deliver(.disconnected(.gone), .connected, .status(.denied), .status(.tracking))
        #expect(await iterator.next() == .denied)
        #expect(await iterator.next() == .authorizedAlways)
    }

    @Test func anObserverOfAuthorizationReceivesTheFirstStatusAndChanges() {
        let (early, late) = (ValueRecorder<AuthorizationStatus>(), ValueRecorder<AuthorizationStatus>())
        manager.addObserver(early.observer())
        #expect(transport.interest.status != nil)
        #expect(early.values.isEmpty)
        transport.deliver(.connected, .status(.denied))
        manager.addObserver(late.observer())
        #expect(late.values == [.denied])
        transport.deliver(.status(.denied), .status(.tracking))
        #expect(early.values == [.denied, .authorizedAlways])
        #expect(late.values == [.denied, .authorizedAlways])
    }
}
