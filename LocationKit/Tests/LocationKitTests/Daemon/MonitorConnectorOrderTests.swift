@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// The daemon may read a message of one connection after a later message of another connection.
@Suite struct MonitorConnectorOrderTests {
    private typealias Script = MonitorScript

    /// A script with a change under way that the present interest does not need any more.
    private static func leftChange() throws -> Script {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        #expect(script.setInterest(try Script.subjects("a", "b"), name: "walk").changes.count == 1)
        script.connector.interest = nil
        #expect(script.nextActions() == [.close])
        #expect(script.setInterest(try Script.subjects("a"), name: "walk").isEmpty, "the list would be old")
        return script
    }

    @Test func theListWaitsForAChangeThatIsNoLongerWanted() throws {
        var script = try Self.leftChange()
        #expect(script.changeSucceeded() == [.list])
        #expect(script.receiveList(try Script.subjects("a", "b")).opened.map(\.subjects?.regions) == [nil])
        #expect(script.reply().changes.map(\.remove) == [["b"]])
    }

    @Test(arguments: [.tooManyRegions(limit: 1), .disconnected] as [LocationError])
    func theFailureOfThatChangeIsAnAnswerToo(_ error: LocationError) throws {
        var script = try Self.leftChange()
        #expect(script.changeFailed(error).isEmpty, "nobody is interested any more")
        #expect(script.wait == 0)
        #expect(script.nextActions() == [.list])
    }

    @Test func theListWaitsForAnOpeningThatIsNoLongerWanted() throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("b"), name: "walk")
        _ = script.receiveList(nil)
        script.connector.interest = nil
        #expect(script.nextActions().isEmpty, "closed, it might be read later than the list")
        #expect(script.setInterest(try Script.subjects("a"), name: "walk").isEmpty)
        #expect(script.reply() == [.close, .list])
        #expect(script.receiveList(try Script.subjects("b")).opened.count == 1)
        #expect(script.connectionEnded(.monitorInUse(name: "walk")).events.isEmpty, "it is its own former connection")
    }

    @Test func theEndOfThatOpeningIsAnAnswerToo() throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("b"), name: "walk")
        _ = script.receiveList(nil)
        script.connector.interest = nil
        _ = script.nextActions()
        #expect(script.connectionEnded(.monitorInUse(name: "walk")) == [.close])
        #expect(script.wait == nil, "nobody is interested in anything")
        #expect(script.setInterest(try Script.subjects("a"), name: "walk") == [.list])
    }

    @Test func aLostConnectionLeavesItsChangeToBeAnswered() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.setInterest(try Script.subjects("a", "b"), name: "walk")
        #expect(script.connectionEnded() == [.close, .deliver(.disconnected(.disconnected))])
        script.now += 1.5
        #expect(script.nextActions().isEmpty)
        #expect(script.changeSucceeded() == [.list])
    }

    @Test(arguments: [true, false])
    func aSilentDaemonIsWaitedForTwoSeconds(_ isWished: Bool) throws {
        var script = try Self.leftChange()
        if !isWished {
            script.connector.interest = nil
            #expect(script.nextActions().isEmpty)
        }
        #expect(script.wait == 2)
        script.now += 1.9
        #expect(script.nextActions().isEmpty)
        script.now += 0.2
        #expect(script.nextActions() == [.abandon, .close] + (isWished ? [.list] : []))
        #expect(script.changeSucceeded().isEmpty)
    }

    @Test(arguments: [true, false])
    func garbageIsNoAnswerToAChange(_ isWished: Bool) throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.setInterest(try Script.subjects("a", "b"), name: "walk")
        if isWished { #expect(script.changeFailed(.garbage) == [.close, .deliver(.disconnected(.garbage))]) }
        script.connector.interest = nil
        #expect(script.nextActions() == (isWished ? [] : [.close]))
        if !isWished { #expect(script.changeFailed(.garbage).isEmpty) }
        try script.expectPatience()
    }

    @Test(arguments: [true, false])
    func garbageIsNoAnswerToTheOpening(_ isWished: Bool) throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("b"), name: "walk")
        _ = script.receiveList(nil)
        if isWished { #expect(script.connectionEnded(.garbage) == [.close, .deliver(.disconnected(.garbage))]) }
        script.connector.interest = nil
        #expect(script.nextActions().isEmpty)
        if !isWished { #expect(script.connectionEnded(.garbage) == [.close]) }
        try script.expectPatience()
    }

    @Test func anotherKindOfSubjectWaitsForTheAnswerToTheLastCall() throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("a"), name: "walk")
        _ = script.receiveList(nil)
        let interest = try Script.subjects("a", "b", visits: true)
        #expect(script.setInterest(interest, name: "walk").isEmpty)
        #expect(script.reply().opened.map(\.subjects?.visits) == [true])
        _ = script.reply()
        _ = script.setInterest(try Script.subjects("a", visits: true), name: "walk")
        #expect(script.connector.change != nil)
        #expect(script.setInterest(try Script.subjects("a"), name: "walk").isEmpty)
        #expect(script.changeSucceeded().opened.map(\.subjects?.visits) == [false])
    }
}

extension LocationError {
    fileprivate static let garbage = protocolViolation("\"message\" has the wrong type")
}

extension MonitorScript {
    /// A new interest sends nothing for two seconds, and then begins anew.
    fileprivate mutating func expectPatience() throws {
        #expect(setInterest(try Self.subjects("a"), name: "walk").isEmpty)
        now += 1.9
        #expect(nextActions().isEmpty)
        now += 0.2
        #expect(nextActions() == [.abandon, .close, .list])
    }
}
