@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
import NIOEmbedded
import ProgramTestSupport
import Testing

@testable import WebService

/// What a page is sent that reads, and what is kept for one that does not.
@Suite struct LivePageTests {
    private let channel = EmbeddedChannel()
    private let sent = ValueRecorder<String>()
    /// The lengths of what is written at once.
    private let writes = ValueRecorder<Int>()
    private let clock = ManualClock()

    /// Calls `body` with a page on the channel.
    private func with(estimates: Bool = false, _ body: (LivePage) throws -> Void) throws {
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/page")).wait()
        let page = LivePage(
            channel, session: "s", browser: .user(1000), wantsEstimates: estimates, now: { clock.now }
        ) { buffer in
            writes.append(buffer.readableBytes)
            for event in String(buffer: buffer).split(separator: "\n\n") { sent.append(event + "\n\n") }
        }
        try body(page)
        _ = try? channel.finish()
    }

    private func pass(_ seconds: Double) { clock.now = clock.now.advanced(bySeconds: seconds) }

    private var events: [String] { sent.values.map { String($0.prefix { $0 != "\n" }.dropFirst("event: ".count)) } }

    private func update(_ text: String) throws -> WatchReply {
        let data = try #require(text.split(separator: "\n").first { $0.hasPrefix("data: ") }?.dropFirst("data: ".count))
        return try #require(WebJSON.value(Array(data.utf8), as: WatchReply.self))
    }

    @Test func readingPageIsSentEachUpdate() throws {
        try with { page in
            page.send(WatchReply(status: .allowed()))
            for number: Int64 in 1...3 { page.send(WatchReply(location: .sample(number, age: 0.5))) }
            page.send(outage: "gone\n\ndata: evil")
            page.sendComment()
        }
        #expect(sent.values.count == 6)
        #expect(events.prefix(5) == ["update", "update", "update", "update", "outage"])
        #expect(sent.values[1].hasPrefix("event: update\nid: 1\ndata: {") && sent.values[1].hasSuffix("}\n\n"))
        #expect(try update(sent.values[3]) == WatchReply(location: .sample(3, age: 0.5)))
        #expect(sent.values[4] == "event: outage\ndata: {\"reason\":\"gone\\n\\ndata: evil\"}\n\n")
        #expect(sent.values[5] == ": \n\n")
    }

    /// The newest alone, with the age that it has by then, and the number of those before it.
    @Test func pageThatDoesNotReadKeepsTheNewest() throws {
        try with { page in
            channel.isWritable = false
            page.send(WatchReply(status: .allowed(fixAge: 0)))
            for number: Int64 in 1...5 {
                page.send(WatchReply(location: .sample(number, age: 0)))
                pass(1)
            }
            page.sendComment()
            #expect(sent.values.isEmpty)
            pass(9)
            channel.isWritable = true
            page.resume()
            #expect(events == ["dropped", "update"] && writes.values.count == 1)
            #expect(sent.values[0] == "event: dropped\ndata: {\"count\":4}\n\n")
            let update = try update(sent.values[1])
            #expect(update.location == .sample(5, age: 10), "it is as old as it is")
            #expect(update.status?.fixAge == 14)
            page.resume()
            #expect(sent.values.count == 2, "it is sent once")
            page.send(WatchReply(location: .sample(6)))
            #expect(try self.update(sent.values[2]).location == .sample(6))
        }
    }

    @Test func daemonsCountOfDroppedIsAdded() throws {
        try with { page in
            channel.isWritable = false
            page.send(WatchReply(location: .sample(1)))
            page.send(WatchReply(location: .sample(9), dropped: 7))
            channel.isWritable = true
            page.resume()
            #expect(sent.values.first == "event: dropped\ndata: {\"count\":8}\n\n")
            page.send(WatchReply(location: .sample(12), dropped: 2))
            #expect(events == ["dropped", "update", "dropped", "update"])
            #expect(sent.values[2] == "event: dropped\ndata: {\"count\":2}\n\n")
        }
    }

    @Test(arguments: [false, true]) func estimatesGoToThePagesThatWantThem(wants: Bool) throws {
        var estimate = Aged<Location>.sample(2, age: 0)
        estimate.value.basis = .filtered
        try with(estimates: wants) { page in
            page.send(WatchReply(status: .allowed(), location: .sample(2, age: 0)))
            page.merge(estimate: WatchReply(status: .allowed(), location: estimate))
            page.flushEstimate()
        }
        #expect(events == (wants ? ["update", "estimate"] : ["update"]))
        #expect(writes.values.count == events.count, "each is a piece of its own, whose length says nothing")
        guard wants else { return }
        #expect(try update(#require(sent.values.last)).location?.value.basis == .filtered)
    }

    /// Also where the page has never known the permission that was more.
    @Test(arguments: [AccuracyAuthorization.full, .reduced], [false, true])
    func waitingEstimateIsRemovedWithThePermission(accuracy: AccuracyAuthorization, isKnown: Bool) throws {
        try with(estimates: true) { page in
            if isKnown { page.send(WatchReply(status: .allowed())) }
            channel.isWritable = false
            page.merge(estimate: WatchReply(status: .allowed(), location: .sample(1)))
            var less = ServiceStatus.allowed()
            if accuracy == .full { less.authorization = .denied }
            less.accuracy = accuracy
            page.send(WatchReply(status: less))
            channel.isWritable = true
            page.resume()
            #expect(!sent.values.joined().contains("latitude"))
        }
    }

    /// A position that waits may not be sent after its user lost the permission.
    @Test func waitingPositionIsRemovedWithThePermission() throws {
        try with { page in
            page.send(WatchReply(status: .allowed()))
            channel.isWritable = false
            page.send(WatchReply(location: .sample(1), satellites: []))
            var denied = ServiceStatus.allowed()
            denied.authorization = .denied
            page.send(WatchReply(status: denied))
            channel.isWritable = true
            page.resume()
            let last = try update(try #require(sent.values.last))
            #expect(last == WatchReply(status: denied))
            #expect(!sent.values.joined().contains("latitude"))
        }
    }

    @Test(arguments: [false, true])
    func waitingOutageIsTheLastWordUnlessItIsOver(isOver: Bool) throws {
        try with { page in
            channel.isWritable = false
            page.send(WatchReply(location: .sample(1)))
            page.send(outage: "gone")
            if isOver { page.send(WatchReply(status: .allowed())) }
            channel.isWritable = true
            page.resume()
            #expect(events == (isOver ? ["update"] : ["update", "outage"]))
        }
    }

    @Test(arguments: [false, true])
    func pageThatDoesNotReadForAMinuteIsClosed(onlyAnOutage: Bool) throws {
        try with { page in
            channel.isWritable = false
            if onlyAnOutage { page.send(outage: "gone") } else { page.send(WatchReply(location: .sample(1))) }
            channel.embeddedEventLoop.advanceTime(by: .seconds(59))
            page.send(WatchReply(location: .sample(2)))
            #expect(channel.isActive)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(!channel.isActive)
        }
    }

    @Test func pageThatReadsAgainStaysOpen() throws {
        try with { page in
            channel.isWritable = false
            page.send(WatchReply(location: .sample(1)))
            channel.embeddedEventLoop.advanceTime(by: .seconds(59))
            channel.isWritable = true
            page.resume()
            channel.embeddedEventLoop.advanceTime(by: .seconds(600))
            #expect(channel.isActive)
            page.close()
            #expect(!channel.isActive)
        }
    }
}

/// A clock that the test sets.
private final class ManualClock {
    var now = BootInstant(seconds: 1000)
}
