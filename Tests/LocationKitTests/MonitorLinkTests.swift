import LocationInterface
import Testing
import Varlink

@testable import LocationKit

/// What one monitor asks of a daemon.
@Suite struct MonitorLinkTests {
    private typealias Script = MonitorScript

    @Test func withoutANameAllIsAskedAtOnceAndAnewWithEachChange() throws {
        var script = Script()
        let (one, two) = (try Script.subjects("a", visits: true), try Script.subjects("a", "b"))
        let opened = script.wish(one).opened
        #expect(opened.map(\.subjects?.regions) == [one.regions])
        #expect(opened.map(\.subjects?.visits) == [true])
        #expect(opened.first?.name == nil)
        let status = LinkScript.status()
        #expect(script.told().news == [.connected, .status(status)])
        #expect(script.wish(one).isEmpty)
        let actions = script.wish(two)
        #expect(actions.first == .close)
        #expect(actions.opened.map(\.subjects?.regions) == [two.regions])
        #expect(script.told().news.isEmpty, "the connection was never lost")
    }

    @Test func whatIsKeptIsTakenUpAndOnlyTheDifferenceIsChanged() throws {
        var script = Script()
        #expect(script.wish(try Script.subjects("a", "c"), name: "walk") == [.list])
        let opened = script.listed(try Script.subjects("a", "b")).opened
        #expect(opened.map(\.name) == ["walk"])
        #expect(opened.map(\.subjects?.regions) == [nil], "what is kept would be replaced")
        #expect(opened.map(\.subjects?.visits) == [nil])
        #expect(script.told().changes.map(\.add) == [[try Script.region("c")]])
        #expect(script.link.change != nil)
        #expect(script.changed().news == [.removed(["b"])])
        #expect(script.settle().isEmpty)
    }

    @Test func whatWasNeverKeptIsAskedForAsAWhole() throws {
        var script = Script()
        _ = script.wish(try Script.subjects("a"), name: "walk")
        #expect(script.listed(nil).opened.map(\.subjects?.regions) == [[try Script.region("a")]])
        script = Script()
        _ = script.wish(try Script.subjects("a", visits: true), name: "walk")
        let opened = script.listed(try Script.subjects("a")).opened
        #expect(opened.map(\.subjects?.regions) == [[try Script.region("a")]])
        #expect(opened.map(\.subjects?.visits) == [true])
    }

    @Test func whatIsKeptIsToldToWhoDoesNotKnowIt() throws {
        var script = Script()
        let kept = try Script.subjects("a")
        #expect(script.wish(nil, name: "walk") == [.list])
        #expect(script.listed(kept) == [.tell(.kept(Script.kept(kept)))])
        #expect(script.wait == nil, "the wish is awaited")
        #expect(script.wish(kept, name: "walk").opened.map(\.subjects?.regions) == [nil])
    }

    @Test func changesGoOneAfterTheOther() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        #expect(
            script.wish(try Script.subjects("a", "b"), name: "walk").changes.map(\.add) == [[try Script.region("b")]])
        #expect(script.wish(try Script.subjects("b"), name: "walk").isEmpty)
        let next = script.changed().changes
        #expect(next.map(\.add) == [nil])
        #expect(next.map(\.remove) == [["a"]])
        #expect(script.changed().news == [.removed(["a"])])
        #expect(script.wait == nil)
    }

    @Test func aRegionOfAnotherShapeTakesThePlaceOfTheOld() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        let other = MonitorSubjects(regions: [try Script.region("a", radius: 5)])
        let change = script.wish(other, name: "walk").changes
        #expect(change.map(\.add) == [other.regions])
        #expect(change.map(\.remove) == [nil])
        #expect(script.changed().isEmpty)
    }

    @Test func anotherKindOfSubjectTakesAnotherConnectionAndWaitsForTheName() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        let actions = script.wish(try Script.subjects("a", visits: true), name: "walk")
        #expect(actions.first == .close)
        #expect(actions.opened.map(\.subjects?.visits) == [true])
        #expect(script.ended(.monitorInUse(name: "walk")).news.isEmpty, "it is its own former connection")
        #expect(try #require(script.wait) < 0.1)
        script.now += 0.1
        #expect(script.settle() == [.list], "it may have changed what is kept")
        _ = script.listed(nil)
        script.now += 3
        #expect(script.ended(.monitorInUse(name: "walk")).news == [.disconnected(.monitorInUse(name: "walk"))])
    }

    @Test func openingThatTheListBeforeItCrowdsOutIsTriedAgainAlone() throws {
        var script = Script()
        _ = script.wish(try Script.subjects("a", "b"), name: "walk")
        let opening = script.listed(try Script.subjects("a"))
        for _ in 0..<3 {
            #expect(script.ended(.tooManyRequests(limit: 1)).news.count == 1)
            #expect(script.settle().isEmpty, "not before its time")
            script.now += try #require(script.wait)
            #expect(script.settle() == opening)
        }
        #expect(script.told().changes.map(\.add) == [[try Script.region("b")]])
    }

    @Test func whatIsKeptIsListedAgainAfterAnotherProgramHadIt() throws {
        var script = Script()
        _ = script.wish(try Script.subjects("a"), name: "walk")
        _ = script.listed(nil)
        let error = LocationError.monitorInUse(name: "walk")
        #expect(script.ended(error).news == [.disconnected(error)])
        script.now += try #require(script.wait)
        #expect(script.settle() == [.list])
    }

    @Test func wishThatEndsBetweenTwoTriesEndsEverything() throws {
        var script = Script()
        _ = script.wish(try Script.subjects("a"), name: "walk")
        _ = script.listed(nil)
        _ = script.ended(.tooManyRequests(limit: 1))
        script.link.wish = nil
        #expect(script.settle().isEmpty)
        #expect(script.wait == nil)
        #expect(script.wish(try Script.subjects("a"), name: "walk") == [.list])
    }

    @Test func aRefusedChangeIsToldOnceAndTriedAgainWithTheNextWish() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.wish(try Script.subjects("a", "b"), name: "walk")
        let error = LocationError.tooManyRegions(limit: 1)
        #expect(script.changeFailed(error) == [.tell(.refused(error))])
        #expect(script.settle().isEmpty)
        #expect(script.wait == nil)
        #expect(script.wish(try Script.subjects("b"), name: "walk").changes.count == 1)
    }

    @Test func aLostChangeEndsTheConnection() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.wish(try Script.subjects("b"), name: "walk")
        let actions = script.changeFailed(.disconnected)
        #expect(actions == [.close, .tell(.disconnected(.disconnected))])
        script.now += 2
        #expect(script.settle() == [.list])
    }

    @Test func theEndOfTheWishEndsEverything() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        script.link.wish = nil
        #expect(script.settle() == [.close])
        #expect(script.wait == nil)
        #expect(script.told().isEmpty)
        #expect(script.wish(try Script.subjects("a"), name: "walk") == [.list])
        script.link.wish = nil
        #expect(script.settle() == [.abandon])
        #expect(script.wait == nil)
    }

    @Test func triesBecomeSeldomAndEachFailureIsTold() throws {
        var script = Script()
        let gone = LocationError.daemonNotRunning(path: "/run/x", reason: "gone")
        #expect(script.wish(try Script.subjects("a")).opened.count == 1)
        for expected in [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30] {
            #expect(script.ended(gone).news == [.disconnected(gone)])
            let wait = try #require(script.wait)
            #expect(abs(wait - expected) < 1e-6)
            script.now += wait
            #expect(script.settle().opened.count == 1)
        }
        #expect(script.told().news.first == .connected)
        _ = script.ended()
        #expect(try 1...1.25 ~= #require(script.wait), "a daemon that was there comes back soon")
    }

    @Test(arguments: [nil, "walk"])
    func aDaemonThatDoesNotAnswerIsGivenUp(_ name: String?) throws {
        var script = Script()
        _ = script.wish(try Script.subjects("a"), name: name)
        script.now += 9.9
        #expect(script.settle().isEmpty)
        script.now += 0.2
        let silence = LocationError.daemonNotRunning(path: "/run/x", reason: "it does not answer")
        #expect(script.settle().news == [.disconnected(silence)])
        #expect(script.wait != nil)
    }

    @Test func theLastReplyEndsTheConnection() throws {
        var script = Script()
        script.open(try Script.subjects("a"))
        let actions = script.told(MonitorReply(status: LinkScript.status(.stopped)), continues: false)
        #expect(actions.news == [.status(LinkScript.status(.stopped)), .disconnected(.disconnected)])
        #expect(actions.contains(.close))
    }

    /// A thousand regions whose names need all the escapes there are.
    @Test func nothingIsMoreThanTheDaemonTakesAtOnce() throws {
        let regions = try (0..<1000).map { number in
            try Script.region(String(repeating: "\u{1}", count: 20) + "\(number)")
        }
        var script = Script()
        _ = script.wish(MonitorSubjects(regions: regions), name: "walk")
        var actions = script.listed(nil)
        var sum = try #require(actions.opened.first?.subjects?.regions.count)
        let encoder = MessageEncoder()
        #expect(try encoder.call("m", try #require(actions.opened.first), more: true).count < 65_536)
        actions = script.told()
        while let change = actions.changes.first {
            #expect(try encoder.call("m", change).count < 65_536)
            sum += change.add?.count ?? 0
            actions = script.changed()
        }
        #expect(sum == 1000)
        actions = script.wish(MonitorSubjects(regions: [regions[0]]), name: "walk")
        var removed = 0
        while let change = actions.changes.first {
            #expect(try encoder.call("m", change).count < 65_536)
            removed += change.remove?.count ?? 0
            actions = script.changed()
        }
        #expect(removed == 999)
    }
}
