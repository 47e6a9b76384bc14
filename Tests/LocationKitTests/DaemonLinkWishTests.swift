import LocationInterface
import Testing

@testable import LocationKit

/// Which watches are open, and for what.
@Suite struct DaemonLinkWishTests {
    private typealias Script = LinkScript

    @Test func nobodyNeedsNothing() {
        var script = Script()
        #expect(script.settle() == [])
        #expect(script.link.deadline == nil)
        script.wish(1, Script.wish(status: true))
        script.wish(1, Wish())
        #expect(script.settle() == [])
    }

    @Test func eachKindHasItsWatch() throws {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter(), headings: true, purpose: "sailing"))
        let actions = script.settle()
        #expect(actions.opened == [.locations, .headings])
        let locations = try #require(actions.parameters(of: .locations))
        #expect(locations.purpose == "sailing" && locations.location && !locations.heading)
        let headings = try #require(actions.parameters(of: .headings))
        #expect(headings.purpose == "sailing" && headings.location == false && headings.heading == true)
    }

    @Test func stateHasAWatchOnlyWithoutAnother() throws {
        var script = Script()
        script.wish(1, Script.wish(status: true))
        let first = script.settle()
        #expect(first.opened == [.status])
        let parameters = try #require(first.parameters(of: .status))
        #expect(!parameters.location && !parameters.heading)
        script.wish(2, Script.wish(headings: true))
        let second = script.settle()
        #expect(second.opened == [.headings] && second.closed == [.status])
        script.wish(2, Wish())
        let third = script.settle()
        #expect(third.opened == [.status] && third.closed == [.headings])
    }

    @Test func manyClientsShareOneWatch() {
        var script = Script()
        for number in 1...300 { script.wish(number, Script.wish(LocationFilter())) }
        #expect(script.settle().opened == [.locations])
        for number in 1...299 { script.wish(number, Wish()) }
        #expect(script.settle() == [])
        script.wish(300, Wish())
        #expect(script.settle() == [.close(.locations)])
        #expect(script.link.deadline == nil)
    }

    struct Union: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let filters: [LocationFilter]
        let distance: Double?
        let interval: Double?
        let accuracy: Double?
    }

    private static let full = LocationFilter(distance: 10, interval: 5, requiredAccuracy: 20)

    static let unions = [
        Union(
            testDescription: "the least and the weakest",
            filters: [full, LocationFilter(distance: 3, interval: 8, requiredAccuracy: 50)],
            distance: 3, interval: 5, accuracy: 50),
        Union(
            testDescription: "absent where one lacks it", filters: [full, LocationFilter(distance: 30)],
            distance: 10, interval: nil, accuracy: nil),
        Union(
            testDescription: "what no daemon accepts is left out",
            filters: [full, LocationFilter(distance: .nan, interval: -1, requiredAccuracy: .infinity)],
            distance: nil, interval: nil, accuracy: nil),
    ]

    @Test(arguments: unions)
    func watchAsksForWhatAllWant(_ union: Union) throws {
        var script = Script()
        for (number, filter) in union.filters.enumerated() { script.wish(number, Script.wish(filter)) }
        let parameters = try #require(script.settle().parameters(of: .locations))
        #expect(parameters.distanceFilter == union.distance)
        #expect(parameters.minimumInterval == union.interval)
        #expect(parameters.requiredAccuracy == union.accuracy)
    }

    @Test func otherParametersOpenAnother() throws {
        var script = Script()
        script.open(1, Script.wish(LocationFilter(distance: 10)), .locations)
        script.wish(2, Script.wish(LocationFilter(distance: 20)))
        #expect(script.settle().opened == [])
        script.wish(3, Script.wish(LocationFilter(distance: 5)))
        let actions = script.settle()
        #expect(actions.first == .close(.locations))
        #expect(actions.parameters(of: .locations)?.distanceFilter == 5)
        #expect(actions.events(for: 1) == [])
        #expect(script.told(.locations, status: Script.status()).events(for: 1) == [])
    }

    @Test func purposeIsTheFirstOnesAndNotTooLong() {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter()))
        script.wish(2, Script.wish(LocationFilter(), purpose: String(repeating: "ä", count: 300)))
        script.wish(3, Script.wish(LocationFilter(), purpose: "third"))
        #expect(script.settle().parameters(of: .locations)?.purpose == String(repeating: "ä", count: 128))
        script.wish(2, Wish())
        #expect(script.settle().parameters(of: .locations)?.purpose == "third")
    }
}
