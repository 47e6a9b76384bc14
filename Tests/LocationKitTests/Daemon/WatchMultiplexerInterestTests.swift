import LocationInterface
import Testing

@testable import LocationKit

/// Which watches are open, and with which parameters.
@Suite struct WatchMultiplexerInterestTests {
    private typealias Script = MultiplexerScript

    @Test func withoutClientsThereIsNoWatch() {
        var script = Script()
        #expect(script.nextActions() == [])
        #expect(script.multiplexer.deadline == nil)
        script.setInterest(1, Script.interest(status: true))
        script.setInterest(1, Interest())
        #expect(script.nextActions() == [])
    }

    @Test func eachKindHasItsWatch() throws {
        var script = Script()
        script.setInterest(1, Script.interest(LocationFilter(), headings: true, purpose: "sailing"))
        let actions = script.nextActions()
        #expect(actions.opened == [.locations, .headings])
        let locations = try #require(actions.parameters(of: .locations))
        #expect(locations.purpose == "sailing" && locations.location && !locations.heading)
        let headings = try #require(actions.parameters(of: .headings))
        #expect(headings.purpose == "sailing" && headings.location == false && headings.heading == true)
    }

    @Test func headingsAreFilteredForAllAndForEach() throws {
        var script = Script()
        func interest(_ degrees: Double?) -> Interest {
            var interest = Script.interest(headings: true)
            interest.headingFilter = degrees
            return interest
        }
        func heading(_ degrees: Double) -> Heading {
            var heading = Heading()
            heading.magneticHeading = degrees
            return heading
        }
        script.setInterest(1, interest(5))
        script.setInterest(2, interest(20))
        #expect(try #require(script.nextActions().parameters(of: .headings)).headingFilter == 5)
        _ = script.reply(.headings, status: Script.status())
        var received: [Int: [Double?]] = [:]
        for degrees in [0.0, 6, 15, 21, 22, 40] {
            for case .deliver(let id, .heading(let heading)) in script.reply(.headings, heading: heading(degrees)) {
                received[id.number, default: []].append(heading.magneticHeading)
            }
        }
        #expect(received == [1: [0, 6, 15, 21, 40], 2: [0, 21]])
        script.setInterest(3, interest(nil))
        #expect(try #require(script.nextActions().parameters(of: .headings)).headingFilter == nil)
    }

    @Test func locationsAreDelayedWhileAllClientsAllowIt() throws {
        var script = Script()
        func interest(_ delay: Double?) -> Interest {
            var interest = Script.interest(LocationFilter())
            interest.maximumDelay = delay
            return interest
        }
        script.setInterest(1, interest(60))
        script.setInterest(2, interest(20))
        #expect(try #require(script.nextActions().parameters(of: .locations)).maximumDelay == 20)
        script.setInterest(3, interest(nil))
        let prompt = try #require(script.nextActions().parameters(of: .locations))
        #expect(prompt.maximumDelay == nil)
        script.setInterest(3, Interest())
        #expect(try #require(script.nextActions().parameters(of: .locations)).maximumDelay == 20)
    }

    @Test func stateHasAWatchOnlyWithoutAnother() throws {
        var script = Script()
        script.setInterest(1, Script.interest(status: true))
        let first = script.nextActions()
        #expect(first.opened == [.status])
        let parameters = try #require(first.parameters(of: .status))
        #expect(!parameters.location && !parameters.heading)
        script.setInterest(2, Script.interest(headings: true))
        let second = script.nextActions()
        #expect(second.opened == [.headings] && second.closed == [.status])
        script.setInterest(2, Interest())
        let third = script.nextActions()
        #expect(third.opened == [.status] && third.closed == [.headings])
    }

    @Test func manyClientsShareOneWatch() {
        var script = Script()
        for number in 1...300 { script.setInterest(number, Script.interest(LocationFilter())) }
        #expect(script.nextActions().opened == [.locations])
        for number in 1...299 { script.setInterest(number, Interest()) }
        #expect(script.nextActions() == [])
        script.setInterest(300, Interest())
        #expect(script.nextActions() == [.close(.locations)])
        #expect(script.multiplexer.deadline == nil)
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
    func watchRequestsTheUnionOfAllInterests(_ union: Union) throws {
        var script = Script()
        for (number, filter) in union.filters.enumerated() { script.setInterest(number, Script.interest(filter)) }
        let parameters = try #require(script.nextActions().parameters(of: .locations))
        #expect(parameters.distanceFilter == union.distance)
        #expect(parameters.minimumInterval == union.interval)
        #expect(parameters.requiredAccuracy == union.accuracy)
    }

    private func interest(pausing activity: ActivityType?, desired accuracy: Double? = nil) -> Interest {
        var interest = Script.interest(LocationFilter())
        interest.pausingActivity = activity
        interest.desiredAccuracy = accuracy
        return interest
    }

    @Test func watchPausesIfAllItsClientsMay() throws {
        var script = Script()
        script.setInterest(1, interest(pausing: .other))
        script.setInterest(2, interest(pausing: .other))
        var parameters = try #require(script.nextActions().parameters(of: .locations))
        #expect(parameters.pausesAutomatically)
        #expect(parameters.activityType == nil && parameters.distanceFilter == nil)
        script.setInterest(3, interest(pausing: .automotiveNavigation))
        parameters = try #require(script.nextActions().parameters(of: .locations))
        #expect(parameters.activityType == .automotiveNavigation, "the longest delay of all")
        #expect(parameters.distanceFilter == 0 && parameters.minimumInterval == 0, "the activity has no filters here")
        script.setInterest(4, interest(pausing: nil))
        parameters = try #require(script.nextActions().parameters(of: .locations))
        #expect(!parameters.pausesAutomatically && parameters.activityType == nil)
    }

    @Test func smallestDesiredAccuracyCounts() {
        var script = Script()
        script.setInterest(1, interest(pausing: nil))
        script.setInterest(2, interest(pausing: nil, desired: 100))
        script.setInterest(3, interest(pausing: nil, desired: 10))
        #expect(script.nextActions().parameters(of: .locations)?.desiredAccuracy == 10)
    }

    @Test func clientThatJoinsAPausedWatchOpensAnother() throws {
        var script = Script()
        script.open(1, interest(pausing: .other), .locations)
        var status = Script.status()
        status.paused = true
        #expect(script.reply(.locations, status: status).events(for: 1) == [.status(status)])
        #expect(script.nextActions() == [], "it stays while nobody joins")
        script.setInterest(2, interest(pausing: .other))
        #expect(script.nextActions().opened == [.locations])
        #expect(script.reply(.locations, status: Script.status()).events(for: 2).first == .connected)
    }

    @Test func otherParametersOpenAnother() throws {
        var script = Script()
        script.open(1, Script.interest(LocationFilter(distance: 10)), .locations)
        script.setInterest(2, Script.interest(LocationFilter(distance: 20)))
        #expect(script.nextActions().opened == [])
        script.setInterest(3, Script.interest(LocationFilter(distance: 5)))
        let actions = script.nextActions()
        #expect(actions.first == .close(.locations))
        #expect(actions.parameters(of: .locations)?.distanceFilter == 5)
        #expect(actions.events(for: 1) == [])
        #expect(script.reply(.locations, status: Script.status()).events(for: 1) == [])
    }

    @Test func purposeIsTheFirstOnesAndNotTooLong() {
        var script = Script()
        script.setInterest(1, Script.interest(LocationFilter()))
        script.setInterest(2, Script.interest(LocationFilter(), purpose: String(repeating: "ä", count: 300)))
        script.setInterest(3, Script.interest(LocationFilter(), purpose: "third"))
        #expect(script.nextActions().parameters(of: .locations)?.purpose == String(repeating: "ä", count: 128))
        script.setInterest(2, Interest())
        #expect(script.nextActions().parameters(of: .locations)?.purpose == "third")
    }
}
