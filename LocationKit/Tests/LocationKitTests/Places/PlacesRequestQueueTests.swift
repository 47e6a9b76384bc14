@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// The queue of the requests for places, on a loop whose clock the test sets.
@Suite(.timeLimit(.minutes(10)))
struct PlacesRequestQueueTests {
    @Test func timeOutBeginsWithTheCall() async throws {
        let answer = PlaceReplies.places(PlaceReplies.zürich)
        let last = Double(PlacesRequestQueue.maximumActive)
        let daemon = try LiveDaemon { call, _ in call.contains("\"latitude\":\(Int(last))") ? [] : [answer] }
        var now = BootInstant(seconds: 100)
        let loop = ClientLoop { now }
        let waker = try #require(Waker())
        let queue = PlacesRequestQueue(path: daemon.path, grace: 0.05)
        var answers: [PlacesRequestQueue.Answer] = []
        func turn() {
            _ = loop.wait(for: waker)
            loop.runConnections()
            loop.runTimers()
        }
        for latitude in stride(from: 0, through: last, by: 1) {
            queue.enqueue(daemon, .place(try .at(latitude, 0), locale: nil), timeout: 1, loop) { answers.append($0) }
        }
        #expect(queue.activeCount == PlacesRequestQueue.maximumActive)
        now = BootInstant(seconds: 100.9)
        while answers.count < PlacesRequestQueue.maximumActive { turn() }
        try await eventually { daemon.calls.count == PlacesRequestQueue.maximumActive + 1 }
        // The last request's timeout would have passed by now, had it begun in the queue.
        now = BootInstant(seconds: 101.5)
        waker.wake()
        turn()
        waker.drain()
        #expect(answers.count == PlacesRequestQueue.maximumActive)
        daemon.send(answer)
        while answers.count <= PlacesRequestQueue.maximumActive { turn() }
        for answer in answers { #expect(throws: Never.self) { try answer.get() } }
        #expect(!loop.wait(for: waker), "no timer is left")
    }
}
