@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing

@testable import WebService

/// What a page is told that comes late: the newest of each kind, as old as it is, and nothing that its user may not
/// know now.
@Suite struct NewestUpdateTests {
    private var newest = NewestUpdate()

    private func at(_ seconds: Double) -> BootInstant { BootInstant(seconds: 1000 + seconds) }

    @Test func nothingIsKnownAtFirst() {
        #expect(newest.reply(at: at(0)) == nil)
        #expect(!newest.hasLocation)
    }

    @Test mutating func agesAreThoseOfTheMomentOfReading() throws {
        newest.merge(WatchReply(status: .allowed(fixAge: 2)), at: at(0))
        newest.merge(WatchReply(location: .sample(1, age: 0.5)), at: at(10))
        newest.merge(WatchReply(heading: Aged(Heading(), age: 0.25)), at: at(15))
        let reply = try #require(newest.reply(at: at(20)))
        #expect(reply.location?.age == 10.5)
        #expect(reply.heading?.age == 5.25)
        #expect(reply.status?.fixAge == 22)
        #expect(newest.reply(at: at(21))?.location?.age == 11.5, "reading it has changed it")
    }

    @Test mutating func newestOfEachKindIsKept() throws {
        newest.merge(WatchReply(status: .allowed(), satellites: []), at: at(0))
        for number: Int64 in 1...3 { newest.merge(WatchReply(location: .sample(number)), at: at(Double(number))) }
        newest.merge(WatchReply(satellites: [Satellite(gnss: "GPS", id: 7, used: true)]), at: at(3))
        let reply = try #require(newest.reply(at: at(3)))
        #expect(reply.location == .sample(3, age: 0))
        #expect(reply.satellites?.map(\.id) == [7])
        #expect(reply.status == .allowed())
    }

    @Test mutating func poppedReplyIsGone() {
        newest.merge(WatchReply(location: .sample(1)), at: at(0))
        #expect(newest.popReply(at: at(1))?.location?.age == 1)
        #expect(newest.popReply(at: at(1)) == nil)
        newest.merge(WatchReply(satellites: []), at: at(2))
        #expect(newest.popReply(at: at(2)) == WatchReply(satellites: []))
    }

    @Test(arguments: [
        (AuthorizationStatus.denied, true), (.notDetermined, true), (.restricted, true), (.authorizedAlways, false),
        (.authorizedWhenInUse, false),
    ])
    mutating func positionIsRemovedWithThePermission(authorization: AuthorizationStatus, enabled: Bool) throws {
        newest.merge(
            WatchReply(status: .allowed(), location: .sample(1), heading: Aged(Heading(), age: 0), satellites: []),
            at: at(0))
        var status = ServiceStatus.allowed()
        (status.authorization, status.enabled) = (authorization, enabled)
        newest.merge(WatchReply(status: status), at: at(1))
        #expect(newest.reply(at: at(1)) == WatchReply(status: status))
    }

    /// Also when the status before was already sent.
    @Test mutating func fullPositionIsRemovedWithFullAccuracy() {
        var reduced = ServiceStatus.allowed()
        reduced.accuracy = .reduced
        newest.merge(WatchReply(status: .allowed()), at: at(0))
        _ = newest.popReply(at: at(0))
        newest.merge(WatchReply(location: .sample(1), satellites: []), at: at(1))
        newest.merge(WatchReply(status: reduced), at: at(2))
        #expect(newest.reply(at: at(2)) == WatchReply(status: reduced))
        newest.merge(WatchReply(location: .sample(2)), at: at(3))
        newest.merge(WatchReply(status: reduced), at: at(4))
        #expect(newest.reply(at: at(4))?.location == .sample(2, age: 1), "the rough one may be known")
    }

    @Test mutating func readingsWithoutAgeDoNotOutliveAnOutage() {
        newest.merge(WatchReply(status: .allowed(), location: .sample(1), satellites: []), at: at(0))
        newest.removeMomentary()
        #expect(newest.reply(at: at(5)) == WatchReply(status: .allowed(), location: .sample(1, age: 5)))
    }
}
