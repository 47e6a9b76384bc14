import NIOCore
import NIOEmbedded
import ReferenceModel

extension SimulatedMachine {
    struct Report: Sendable {
        var summary: String
        /// How many positions were predicted.
        var predictions = 0
        var trace: UInt64 = 0
        var failure: String?
    }

    /// Lets so many things happen, and ends at the first that goes wrong.
    static func run(seed: UInt64, events: Int) -> Report {
        let machine = SimulatedMachine(seed: seed)
        defer { machine.dissolve() }
        var recent: [String] = []
        func failure(at number: Int) -> Report {
            let text = machine.faults.prefix(5).joined(separator: "\n") + "\n" + recent.joined(separator: "\n")
            return Report(
                summary: "failed at event \(number)", failure: "seed \(seed), event \(number): \(text)")
        }
        for number in 1...max(1, events) {
            recent.append("\(number) \(machine.step())")
            if recent.count > 20 { recent.removeFirst() }
            if !machine.faults.isEmpty { return failure(at: number) }
        }
        machine.checkEnd()
        recent.append("everybody leaves")
        if !machine.faults.isEmpty { return failure(at: events) }
        return Report(
            summary: "\(events) events, \(machine.model.count) fixes, \(machine.model.pauses.begun) pauses, "
                + "\(machine.reader.estimates.predictions) predictions",
            predictions: machine.reader.estimates.predictions,
            trace: machine.reader.traces.values.reduce(0, &+)
        )
    }

    /// Nothing is left over on the loop.
    func dissolve() {
        killDaemon()
        sources = []
        disk.isStuck = false
        disk.work()
        time.loop.advanceTime(by: .hours(1))
        try? time.loop.syncShutdownGracefully()
    }
}
