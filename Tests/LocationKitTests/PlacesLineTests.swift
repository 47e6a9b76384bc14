import LocationModel
import SystemSupport
import Testing

@testable import LocationKit

/// The line of those who ask for places, on a loop whose clock the test sets.
@Suite(.timeLimit(.minutes(3)))
struct PlacesLineTests {
    @Test func timeBeginsWhenTheServiceIsAsked() async throws {
        let answer = PlaceReplies.places(PlaceReplies.zürich)
        let last = Double(PlacesLine.width)
        let daemon = try LiveDaemon { call, _ in call.contains("\"latitude\":\(Int(last))") ? [] : [answer] }
        var now = BootInstant(seconds: 100)
        let loop = ClientLoop { now }
        let waker = try #require(Waker())
        let line = PlacesLine(path: daemon.path, grace: 0.05)
        var answers: [PlacesLine.Answer] = []
        func turn() {
            _ = loop.wait(for: waker)
            loop.runConnections()
            loop.runTimers()
        }
        for latitude in stride(from: 0, through: last, by: 1) {
            line.join(daemon, .place(try .at(latitude, 0), locale: nil), timeout: 1, loop) { answers.append($0) }
        }
        #expect(line.asked == PlacesLine.width)
        now = BootInstant(seconds: 100.9)
        while answers.count < PlacesLine.width { turn() }
        try await eventually { daemon.calls.count == PlacesLine.width + 1 }
        // By now the time of the last would be over, had it begun in the line.
        now = BootInstant(seconds: 101.5)
        waker.wake()
        turn()
        waker.drain()
        #expect(answers.count == PlacesLine.width)
        daemon.say(answer)
        while answers.count <= PlacesLine.width { turn() }
        for answer in answers { #expect(throws: Never.self) { try answer.get() } }
        #expect(!loop.wait(for: waker), "no timer is left")
    }
}
