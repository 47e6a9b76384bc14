import ProgramTestSupport
import Testing

@testable import Delivery

/// What a loop that reads slowly gets.
@Suite(.timeLimit(.minutes(10))) struct BrokerEventsTests {
    private func received(_ number: Int, size: Int = 1000) -> BrokerEvent {
        .received(BrokerMessage(topic: "\(number)", payload: Array(repeating: 0, count: size), isRetained: false))
    }

    private func number(of event: BrokerEvent) -> Int? {
        if case .received(let message) = event { Int(message.topic) } else { nil }
    }

    @Test func unreadMessagesAreLimitedAndTheOldestOnesDropped() async {
        let events = BrokerEvents()
        events.append(.disconnected(reason: "before"))
        for number in 1...20_000 { events.append(received(number)) }
        events.append(.ended)
        events.finish()
        let dropped = events.dropped
        var read: [BrokerEvent] = []
        for await event in events { read.append(event) }
        #expect(read.first == .disconnected(reason: "before") && read.last == .ended, "other events are not dropped")
        let numbers = read.compactMap(number)
        #expect(numbers == Array((dropped + 1)...20_000), "the newest, in order")
        #expect(dropped > 0 && numbers.count * 1000 <= BrokerEvents.limit)
        // Not even a fraction of it is wasted.
        #expect(numbers.count * 1000 > BrokerEvents.limit / 2)
    }

    /// Large messages make small ones go, several at a time; afterwards each is read once, and nothing is lost that
    /// fits.
    @Test func sizesMayDiffer() async {
        let events = BrokerEvents()
        var iterator = events.makeAsyncIterator()
        var (last, read) = (0, 0)
        for round in 0..<100 {
            for number in 0..<200 {
                last = round * 200 + number + 1
                events.append(received(last, size: number == 199 ? BrokerEvents.limit : number * 10))
            }
            // The large one alone is left, which counts as one though it is larger than the limit.
            #expect(events.waiting == 1)
            events.append(received(0, size: 0))
            #expect(events.waiting == 1, "it made the large one go")
            if round % 2 == 0 {
                #expect(await iterator.next().flatMap(number) == 0)
                read += 1
            }
        }
        events.append(received(last + 1))
        events.finish()
        var rest: [Int] = []
        while let event = await iterator.next() { rest.append(number(of: event) ?? -1) }
        #expect(rest == [0, last + 1])
        #expect(events.dropped + read + rest.count == 100 * 201 + 1, "each is read or counted")
    }
}
