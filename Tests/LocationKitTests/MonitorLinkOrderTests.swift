import LocationInterface
import Testing

@testable import LocationKit

/// A daemon may read what it is told over one connection after what it is told later over another.
@Suite struct MonitorLinkOrderTests {
    private typealias Script = MonitorScript

    /// A script whose change nobody wishes any more, but for another wish.
    private static func leftChange() throws -> Script {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        #expect(script.wish(try Script.subjects("a", "b"), name: "walk").changes.count == 1)
        script.link.wish = nil
        #expect(script.settle() == [.close])
        #expect(script.wish(try Script.subjects("a"), name: "walk").isEmpty, "the list would be old")
        return script
    }

    @Test func theListWaitsForTheChangeThatNobodyWishesAnyMore() throws {
        var script = try Self.leftChange()
        #expect(script.changed() == [.list])
        #expect(script.listed(try Script.subjects("a", "b")).opened.map(\.subjects?.regions) == [nil])
        #expect(script.told().changes.map(\.remove) == [["b"]])
    }

    @Test(arguments: [.tooManyRegions(limit: 1), .disconnected] as [LocationError])
    func theFailureOfThatChangeIsAnAnswerToo(_ error: LocationError) throws {
        var script = try Self.leftChange()
        #expect(script.changeFailed(error).isEmpty, "nobody wishes it any more")
        #expect(script.wait == 0)
        #expect(script.settle() == [.list])
    }

    @Test func theListWaitsForTheOpeningThatNobodyWishesAnyMore() throws {
        var script = Script()
        _ = script.wish(try Script.subjects("b"), name: "walk")
        _ = script.listed(nil)
        script.link.wish = nil
        #expect(script.settle().isEmpty, "closed, it might be read later than the list")
        #expect(script.wish(try Script.subjects("a"), name: "walk").isEmpty)
        #expect(script.told() == [.close, .list])
        #expect(script.listed(try Script.subjects("b")).opened.count == 1)
        #expect(script.ended(.monitorInUse(name: "walk")).news.isEmpty, "it is its own former connection")
    }

    @Test func theEndOfThatOpeningIsAnAnswerToo() throws {
        var script = Script()
        _ = script.wish(try Script.subjects("b"), name: "walk")
        _ = script.listed(nil)
        script.link.wish = nil
        _ = script.settle()
        #expect(script.ended(.monitorInUse(name: "walk")) == [.close])
        #expect(script.wait == nil, "nobody wishes anything")
        #expect(script.wish(try Script.subjects("a"), name: "walk") == [.list])
    }

    @Test func aLostConnectionLeavesItsChangeToBeAnswered() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.wish(try Script.subjects("a", "b"), name: "walk")
        #expect(script.ended() == [.close, .tell(.disconnected(.disconnected))])
        script.now += 1.5
        #expect(script.settle().isEmpty)
        #expect(script.changed() == [.list])
    }

    @Test(arguments: [true, false])
    func aSilentDaemonIsWaitedForTwoSeconds(_ isWished: Bool) throws {
        var script = try Self.leftChange()
        if !isWished {
            script.link.wish = nil
            #expect(script.settle().isEmpty)
        }
        #expect(script.wait == 2)
        script.now += 1.9
        #expect(script.settle().isEmpty)
        script.now += 0.2
        #expect(script.settle() == [.abandon, .close] + (isWished ? [.list] : []))
        #expect(script.changed().isEmpty)
    }

    @Test(arguments: [true, false])
    func garbageIsNoAnswerToAChange(_ isWished: Bool) throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.wish(try Script.subjects("a", "b"), name: "walk")
        if isWished { #expect(script.changeFailed(.garbage) == [.close, .tell(.disconnected(.garbage))]) }
        script.link.wish = nil
        #expect(script.settle() == (isWished ? [] : [.close]))
        if !isWished { #expect(script.changeFailed(.garbage).isEmpty) }
        try script.expectPatience()
    }

    @Test(arguments: [true, false])
    func garbageIsNoAnswerToTheOpening(_ isWished: Bool) throws {
        var script = Script()
        _ = script.wish(try Script.subjects("b"), name: "walk")
        _ = script.listed(nil)
        if isWished { #expect(script.ended(.garbage) == [.close, .tell(.disconnected(.garbage))]) }
        script.link.wish = nil
        #expect(script.settle().isEmpty)
        if !isWished { #expect(script.ended(.garbage) == [.close]) }
        try script.expectPatience()
    }

    @Test func anotherKindOfSubjectWaitsForTheAnswerToWhatWasSaid() throws {
        var script = Script()
        _ = script.wish(try Script.subjects("a"), name: "walk")
        _ = script.listed(nil)
        let wish = try Script.subjects("a", "b", visits: true)
        #expect(script.wish(wish, name: "walk").isEmpty)
        #expect(script.told().opened.map(\.subjects?.visits) == [true])
        _ = script.told()
        _ = script.wish(try Script.subjects("a", visits: true), name: "walk")
        #expect(script.link.change != nil)
        #expect(script.wish(try Script.subjects("a"), name: "walk").isEmpty)
        #expect(script.changed().opened.map(\.subjects?.visits) == [false])
    }
}

extension LocationError {
    fileprivate static let garbage = protocolViolation("\"message\" has the wrong type")
}

extension MonitorScript {
    /// A new wish asks nothing for two seconds, and then begins anew.
    fileprivate mutating func expectPatience() throws {
        #expect(wish(try Self.subjects("a"), name: "walk").isEmpty)
        now += 1.9
        #expect(settle().isEmpty)
        now += 0.2
        #expect(settle() == [.abandon, .close, .list])
    }
}
