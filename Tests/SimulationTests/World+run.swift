import NIOCore
import NIOEmbedded

extension World {
    struct Report: Sendable {
        var summary: String
        var trace: UInt64 = 0
        var failure: String?
    }

    /// Lets so many things happen, and ends at the first that goes wrong.
    static func run(seed: UInt64, events: Int) -> Report {
        let world = World(seed: seed)
        defer { world.dissolve() }
        var recent: [String] = []
        func failure(at number: Int) -> Report {
            let text = world.faults.prefix(5).joined(separator: "\n") + "\n" + recent.joined(separator: "\n")
            return Report(
                summary: "failed at event \(number)", failure: "seed \(seed), event \(number): \(text)")
        }
        for number in 1...max(1, events) {
            recent.append("\(number) \(world.step())")
            if recent.count > 20 { recent.removeFirst() }
            if !world.faults.isEmpty { return failure(at: number) }
        }
        world.checkEnd()
        recent.append("everybody leaves")
        if !world.faults.isEmpty { return failure(at: events) }
        let books = world.books
        return Report(
            summary: "\(events) events, \(books.count) fixes", trace: books.traces.values.reduce(0, &+))
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
