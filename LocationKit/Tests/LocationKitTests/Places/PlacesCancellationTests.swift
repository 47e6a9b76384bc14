@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Requests for places that nobody waits for any more.
@Suite(.timeLimit(.minutes(10))) struct PlacesCancellationTests {
    private final class Caller {}

    @Test func whatIsCancelledMakesRoomForTheNext() throws {
        let daemon = try LiveDaemon { _, _ in [] }
        let loop = ClientLoop { BootInstant(seconds: 100) }
        let queue = PlacesRequestQueue(path: daemon.path)
        let callers = (0...PlacesRequestQueue.maximumActive + 1).map { _ in Caller() }
        for (latitude, caller) in callers.enumerated() {
            queue.enqueue(caller, .place(try .at(Double(latitude), 0), locale: nil), timeout: 1, loop) { _ in
                Issue.record("nothing was answered")
            }
        }
        #expect(queue.activeCount == PlacesRequestQueue.maximumActive)
        for caller in callers.prefix(2) {
            queue.cancel(caller, loop)
            #expect(queue.activeCount == PlacesRequestQueue.maximumActive, "one that waited has begun")
        }
        queue.cancel(callers[2], loop)
        #expect(queue.activeCount == PlacesRequestQueue.maximumActive - 1, "no other waits")
        for caller in callers.dropFirst(3) { queue.cancel(caller, loop) }
        #expect(queue.activeCount == 0)
    }
}
