@_spi(Programs) import LocationModel
import Testing

@testable import Fleet

/// The order of publishing, without a broker and without an outbox.
@Suite struct DeliveryScheduleTests {
    private var schedule = DeliverySchedule(rate: 2)
    private let start = BootInstant(seconds: 1000)

    /// The next steps until there is nothing to do; what has to be read is in the outbox.
    private mutating func steps(
        _ outbox: some Sequence<Int64>, after seconds: Double = 0
    ) -> [DeliverySchedule.Step] {
        var steps: [DeliverySchedule.Step] = []
        while steps.count < 200 {
            let step = schedule.next(at: start.advanced(bySeconds: seconds))
            steps.append(step)
            switch step {
            case .read(let after, let limit):
                schedule.addBacklog(outbox.filter { $0 > after }.prefix(limit).map(\.self))
            case .publish: continue
            case .wait, .rest: return steps
            }
        }
        return steps
    }

    @Test mutating func nothingIsPublishedWithoutAConnection() {
        schedule.insert(1)
        #expect(steps(1...1) == [.rest])
    }

    @Test mutating func newestComesFirstThenTheOldestAtTheRate() {
        schedule.connect(newest: [5])
        #expect(steps(1...5) == [.publish(5), .read(after: 0, limit: 64), .publish(1), .wait(0.5)])
        #expect(steps(1...5, after: 0.5) == [.publish(2), .wait(0.5)])
        #expect(steps(1...5, after: 0.75) == [.wait(0.25)])
    }

    @Test mutating func newMessageOvertakesOldOnes() {
        schedule.connect(newest: [3])
        _ = steps(1...3)
        schedule.insert(4)
        #expect(steps(1...4).first == .publish(4))
    }

    /// The outbox is read while the one who adds a message has not said so yet.
    @Test mutating func messageThatWasReadBeforeItIsAddedIsPublishedOnce() {
        schedule.connect(newest: [2])
        schedule.insert(2)
        #expect(steps(1...2).filter(\.isPublication) == [.publish(2), .publish(1)])
        schedule.insert(1)
        schedule.insert(2)
        #expect(steps(1...2, after: 1) == [.rest], "both are in flight")

        schedule.connect(newest: [])
        #expect(steps(1...2).filter(\.isPublication) == [.publish(1)], "the other one waits for its turn")
        schedule.insert(2)
        #expect(steps(1...2, after: 9).filter(\.isPublication) == [.publish(2)])
        schedule.refuse(2)
        schedule.insert(2)
        #expect(steps(1...2, after: 99) == [.rest])
    }

    @Test mutating func atMostTwentyAreInFlight() {
        schedule.connect(newest: [])
        _ = steps([])
        for id in Int64(1)...30 { schedule.insert(id) }
        #expect(steps(1...30).count == 21)
        #expect(schedule.unacknowledged == Set(11...30))
        schedule.acknowledge(30)
        #expect(steps(1...30) == [.publish(10), .rest])
    }

    @Test mutating func oldOnesLeaveRoomForNewOnes() {
        schedule = DeliverySchedule(rate: 1e9)
        schedule.connect(newest: [])
        var seconds = 0.0
        while schedule.unacknowledged.count < DeliverySchedule.backlogWindow {
            _ = steps(1...100, after: seconds)
            seconds += 1
        }
        #expect(steps(1...100, after: seconds) == [.rest])
        schedule.insert(101)
        #expect(steps(1...101, after: seconds) == [.publish(101), .rest])
    }

    @Test mutating func whatIsNotAcknowledgedIsPublishedAgain() {
        schedule.connect(newest: [1])
        #expect(steps(1...1).first == .publish(1))
        schedule.disconnect()
        #expect(schedule.unacknowledged.isEmpty)
        schedule.connect(newest: [1])
        #expect(steps(1...1) == [.publish(1), .read(after: 0, limit: 64), .read(after: 1, limit: 64), .rest])
    }

    /// The outbox still has it, and the broker would refuse it again at once.
    @Test mutating func refusedMessageWaitsForTheNextConnection() {
        schedule.connect(newest: [2])
        _ = steps(1...2)
        schedule.refuse(2)
        schedule.acknowledge(1)
        #expect(steps(2...2, after: 9) == [.rest])
        schedule.connect(newest: [2])
        #expect(steps(2...2, after: 9).first == .publish(2))
    }

    /// The disk failed for a moment.
    @Test mutating func messageThatCannotBeReadIsReadAgain() {
        schedule.connect(newest: [1])
        #expect(schedule.next(at: start) == .publish(1))
        schedule.postpone(1)
        #expect(steps(1...1) == [.read(after: 0, limit: 64), .publish(1), .read(after: 1, limit: 64), .rest])
    }

    /// A broker that acknowledges slowly: no number is forgotten, and memory does not grow.
    @Test mutating func passedMessagesAreReadAgain() {
        schedule = DeliverySchedule(rate: 1e9)
        schedule.connect(newest: [])
        _ = steps([])
        for id in Int64(1)...500 { schedule.insert(id) }
        var published: Set<Int64> = []
        var rest = Set(Int64(1)...500)
        var seconds = 0.0
        while !rest.isEmpty, seconds < 2000 {
            seconds += 1
            let step = schedule.next(at: start.advanced(bySeconds: seconds))
            switch step {
            case .publish(let id):
                #expect(published.insert(id).inserted, "\(id) is in flight twice")
            case .read(let after, let limit):
                schedule.addBacklog(rest.filter { $0 > after }.sorted().prefix(limit).map(\.self))
            case .wait, .rest:
                guard let id = schedule.unacknowledged.first else { break }
                rest.remove(id)
                schedule.acknowledge(id)
            }
        }
        #expect(rest.isEmpty && published.count == 500)
    }
}

extension DeliverySchedule.Step {
    fileprivate var isPublication: Bool {
        if case .publish = self { true } else { false }
    }
}
