@_spi(Programs) import LocationInterface
import Testing
import Varlink

@_spi(Programs) @testable import LocationKit

/// The calls that one monitor makes to the daemon.
@Suite struct MonitorConnectorTests {
    private typealias Script = MonitorScript

    @Test func withoutANameEverythingIsSentTogetherAndAgainWithEachChange() throws {
        var script = Script()
        let (one, two) = (try Script.subjects("a", visits: true), try Script.subjects("a", "b"))
        let opened = script.setInterest(one).opened
        #expect(opened.map(\.subjects?.regions) == [one.regions])
        #expect(opened.map(\.subjects?.visits) == [true])
        #expect(opened.first?.name == nil)
        let status = SharingScript.status()
        #expect(script.reply().events == [.connected, .status(status)])
        #expect(script.setInterest(one).isEmpty)
        let actions = script.setInterest(two)
        #expect(actions.first == .close)
        #expect(actions.opened.map(\.subjects?.regions) == [two.regions])
        #expect(script.reply().events.isEmpty, "the connection was never lost")
    }

    @Test func thePersistedStateIsLoadedAndOnlyTheDifferenceIsSent() throws {
        var script = Script()
        #expect(script.setInterest(try Script.subjects("a", "c"), name: "walk") == [.list])
        let opened = script.receiveList(try Script.subjects("a", "b")).opened
        #expect(opened.map(\.name) == ["walk"])
        #expect(opened.map(\.subjects?.regions) == [nil], "what is kept would be replaced")
        #expect(opened.map(\.subjects?.visits) == [nil])
        #expect(script.reply().changes.map(\.add) == [[try Script.region("c")]])
        #expect(script.connector.change != nil)
        #expect(script.changeSucceeded().events == [.removed(["b"])])
        #expect(script.nextActions().isEmpty)
    }

    @Test func aMonitorThatWasNotPersistedIsSentAsAWhole() throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("a"), name: "walk")
        #expect(script.receiveList(nil).opened.map(\.subjects?.regions) == [[try Script.region("a")]])
        script = Script()
        _ = script.setInterest(try Script.subjects("a", visits: true), name: "walk")
        let opened = script.receiveList(try Script.subjects("a")).opened
        #expect(opened.map(\.subjects?.regions) == [[try Script.region("a")]])
        #expect(opened.map(\.subjects?.visits) == [true])
    }

    @Test func thePersistedStateIsDeliveredToAClientWithoutSubjects() throws {
        var script = Script()
        let persisted = try Script.subjects("a")
        #expect(script.setInterest(nil, name: "walk") == [.list])
        #expect(script.receiveList(persisted) == [.deliver(.persisted(Script.persisted(persisted)))])
        #expect(script.wait == nil, "the interest is awaited")
        #expect(script.setInterest(persisted, name: "walk").opened.map(\.subjects?.regions) == [nil])
    }

    @Test func changesGoOneAfterTheOther() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        #expect(
            script.setInterest(try Script.subjects("a", "b"), name: "walk").changes.map(\.add) == [
                [try Script.region("b")]
            ])
        #expect(script.setInterest(try Script.subjects("b"), name: "walk").isEmpty)
        let next = script.changeSucceeded().changes
        #expect(next.map(\.add) == [nil])
        #expect(next.map(\.remove) == [["a"]])
        #expect(script.changeSucceeded().events == [.removed(["a"])])
        #expect(script.wait == nil)
    }

    @Test func aRegionOfAnotherShapeTakesThePlaceOfTheOld() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        let other = MonitorSubjects(regions: [try Script.region("a", radius: 5)])
        let change = script.setInterest(other, name: "walk").changes
        #expect(change.map(\.add) == [other.regions])
        #expect(change.map(\.remove) == [nil])
        #expect(script.changeSucceeded().isEmpty)
    }

    @Test func anotherKindOfSubjectTakesAnotherConnectionAndWaitsForTheName() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        let actions = script.setInterest(try Script.subjects("a", visits: true), name: "walk")
        #expect(actions.first == .close)
        #expect(actions.opened.map(\.subjects?.visits) == [true])
        #expect(script.connectionEnded(.monitorInUse(name: "walk")).events.isEmpty, "it is its own former connection")
        #expect(try #require(script.wait) < 0.1)
        script.now += 0.1
        #expect(script.nextActions() == [.list], "it may have changed what is kept")
        _ = script.receiveList(nil)
        script.now += 3
        #expect(
            script.connectionEnded(.monitorInUse(name: "walk")).events == [.disconnected(.monitorInUse(name: "walk"))])
    }

    @Test func openingThatExceedsTheRateLimitAfterAListIsRetriedAlone() throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("a", "b"), name: "walk")
        let opening = script.receiveList(try Script.subjects("a"))
        for _ in 0..<3 {
            #expect(script.connectionEnded(.tooManyRequests(limit: 1)).events.count == 1)
            #expect(script.nextActions().isEmpty, "not before its time")
            script.now += try #require(script.wait)
            #expect(script.nextActions() == opening)
        }
        #expect(script.reply().changes.map(\.add) == [[try Script.region("b")]])
    }

    @Test func thePersistedStateIsListedAgainAfterAnotherProgramUsedIt() throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("a"), name: "walk")
        _ = script.receiveList(nil)
        let error = LocationError.monitorInUse(name: "walk")
        #expect(script.connectionEnded(error).events == [.disconnected(error)])
        script.now += try #require(script.wait)
        #expect(script.nextActions() == [.list])
    }

    @Test func interestThatEndsBetweenTwoAttemptsEndsEverything() throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("a"), name: "walk")
        _ = script.receiveList(nil)
        _ = script.connectionEnded(.tooManyRequests(limit: 1))
        script.connector.interest = nil
        #expect(script.nextActions().isEmpty)
        #expect(script.wait == nil)
        #expect(script.setInterest(try Script.subjects("a"), name: "walk") == [.list])
    }

    @Test func aRefusedChangeIsReportedOnceAndRetriedWithTheNextInterest() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.setInterest(try Script.subjects("a", "b"), name: "walk")
        let error = LocationError.tooManyRegions(limit: 1)
        #expect(script.changeFailed(error) == [.deliver(.refused(error))])
        #expect(script.nextActions().isEmpty)
        #expect(script.wait == nil)
        #expect(script.setInterest(try Script.subjects("b"), name: "walk").changes.count == 1)
    }

    @Test func aLostChangeEndsTheConnection() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.setInterest(try Script.subjects("b"), name: "walk")
        let actions = script.changeFailed(.disconnected)
        #expect(actions == [.close, .deliver(.disconnected(.disconnected))])
        script.now += 2
        #expect(script.nextActions() == [.list])
    }

    @Test func theEndOfTheInterestEndsEverything() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        script.connector.interest = nil
        #expect(script.nextActions() == [.close])
        #expect(script.wait == nil)
        #expect(script.reply().isEmpty)
        #expect(script.setInterest(try Script.subjects("a"), name: "walk") == [.list])
        script.connector.interest = nil
        #expect(script.nextActions() == [.abandon])
        #expect(script.wait == nil)
    }

    @Test func retriesBackOffAndEachFailureIsDelivered() throws {
        var script = Script()
        let gone = LocationError.daemonNotRunning(path: "/run/x", reason: "gone")
        #expect(script.setInterest(try Script.subjects("a")).opened.count == 1)
        for expected in [0.1875, 0.375, 0.75, 1.5, 3, 6, 7.5, 7.5] {
            #expect(script.connectionEnded(gone).events == [.disconnected(gone)])
            let wait = try #require(script.wait)
            #expect(abs(wait - expected) < 1e-6)
            script.now += wait
            #expect(script.nextActions().opened.count == 1)
        }
        #expect(script.reply().events.first == .connected)
        _ = script.connectionEnded()
        #expect(script.wait == 0.875, "a daemon that was there comes back soon")
    }

    @Test(arguments: [nil, "walk"])
    func aDaemonThatDoesNotAnswerTimesOut(_ name: String?) throws {
        var script = Script()
        _ = script.setInterest(try Script.subjects("a"), name: name)
        script.now += 9.9
        #expect(script.nextActions().isEmpty)
        script.now += 0.2
        let silence = LocationError.daemonNotRunning(path: "/run/x", reason: "it does not answer")
        #expect(script.nextActions().events == [.disconnected(silence)])
        #expect(script.wait != nil)
    }

    @Test func theLastReplyEndsTheConnection() throws {
        var script = Script()
        script.open(try Script.subjects("a"))
        let actions = script.reply(MonitorReply(status: SharingScript.status(.stopped)), continues: false)
        #expect(actions.events == [.status(SharingScript.status(.stopped)), .disconnected(.disconnected)])
        #expect(actions.contains(.close))
    }

    /// A thousand regions whose names need every kind of escape.
    @Test func noCallIsLargerThanTheDaemonAccepts() throws {
        let regions = try (0..<1000).map { number in
            try Script.region(String(repeating: "\u{1}", count: 20) + "\(number)")
        }
        var script = Script()
        _ = script.setInterest(MonitorSubjects(regions: regions), name: "walk")
        var actions = script.receiveList(nil)
        var sum = try #require(actions.opened.first?.subjects?.regions.count)
        let encoder = MessageEncoder()
        #expect(try encoder.call("m", try #require(actions.opened.first), more: true).count < 65_536)
        actions = script.reply()
        while let change = actions.changes.first {
            #expect(try encoder.call("m", change).count < 65_536)
            sum += change.add?.count ?? 0
            actions = script.changeSucceeded()
        }
        #expect(sum == 1000)
        actions = script.setInterest(MonitorSubjects(regions: [regions[0]]), name: "walk")
        var removed = 0
        while let change = actions.changes.first {
            #expect(try encoder.call("m", change).count < 65_536)
            removed += change.remove?.count ?? 0
            actions = script.changeSucceeded()
        }
        #expect(removed == 999)
    }
}
