import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// The built program at real clusters of three brokers, whose nodes are killed and frozen.
///
/// It runs where LOCATIOND_TEST_BROKERS names the brokers' files; `make brokers` unpacks and names them.
@Suite(.serialized, .timeLimit(.minutes(60)), .enabled(if: BrokerClusterKind.packages != nil))
struct FleetClusterTests {
    enum Fault: String, CaseIterable, Sendable, CustomStringConvertible {
        case connectedNodeIsKilled, leaderIsKilled, twoNodesAreKilled, connectedNodeIsFrozen

        var description: String { rawValue }
    }

    /// Whatever was inserted into the outbox must reach a subscriber at a node that has no fault. The longest time in
    /// which nothing arrives is printed, and not judged: it is the cluster's.
    @Test(arguments: BrokerClusterKind.allCases) func nothingIsLost(kind: BrokerClusterKind) async throws {
        let cluster = try kind.make()
        try await cluster.start()
        let machine = try await FleetMachine(
            broker: cluster.addresses, "[broker]\nkeepalive = 5\n[outbox]\ndrain-rate = 100")
        let recorder = ClusterRecorder(subscriber: try cluster.nodes[2].subscriber(), node: cluster.nodes[2])
        // What is published before there is a session, nobody keeps for it.
        try await recorder.awaitSession()
        let fleet = try machine.start()
        try await recorder.awaitMore(10, from: fleet)
        for fault in Fault.allCases {
            let connected = try #require(cluster.nodes.first { Self.isConnected(fleet, to: $0) })
            let hit =
                switch fault {
                case .connectedNodeIsKilled, .connectedNodeIsFrozen: [connected]
                case .leaderIsKilled: [try await cluster.leader()]
                case .twoNodesAreKilled: [connected, try #require(cluster.nodes.first { $0 !== connected })]
                }
            let well = try #require(cluster.nodes.first { node in !hit.contains { $0 === node } })
            try await recorder.move(to: well)
            try await recorder.awaitMore(10, from: fleet)
            let start = Date.now.timeIntervalSince1970
            for node in hit {
                if fault == .connectedNodeIsFrozen { node.signal(SIGSTOP) } else { try await node.kill() }
            }
            if fault == .twoNodesAreKilled {
                // Nothing is acknowledged without a majority, and the outbox grows.
                let inserted = FleetMachine.insertedIDs(fleet).count
                try await eventually("more are inserted", details: { fleet.errors }) {
                    FleetMachine.insertedIDs(fleet).count > inserted + 25
                }
                #expect(Set(FleetMachine.insertedIDs(fleet)).subtracting(recorder.ids).count > 20, "\(fault)")
                for node in hit { try node.start() }
            }
            try await recorder.awaitMore(25, from: fleet, after: start)
            let pause = recorder.longestPause(since: start)
            report("\(kind), \(fault), hit: \(hit.map(\.name)), of \(connected.name): \(pause) s without a message")
            if fault == .connectedNodeIsFrozen {
                hit[0].signal(SIGCONT)
            } else if fault != .twoNodesAreKilled {
                for node in hit { try node.start() }
            }
            try await cluster.awaitWhole()
            try await recorder.awaitAll(FleetMachine.insertedIDs(fleet), from: fleet)
        }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        let inserted = Set(FleetMachine.insertedIDs(fleet))
        let left = Set(try machine.waitingIDs())
        #expect(inserted.count > 100)
        try await recorder.awaitAll(inserted.subtracting(left), from: fleet)
        let copies = recorder.received.count { $0.id != nil }
        print(
            "\(kind): \(inserted.count) inserted, \(recorder.ids.count) arrived, \(copies) with copies, \(left.count) left"
        )
    }

    /// Prints a line at once, where the output is a file too: a run takes many minutes.
    private func report(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Whether the newest connection that the program's log tells of is to this node.
    private static func isConnected(_ fleet: LoggedProcess, to node: BrokerNode) -> Bool {
        let line = fleet.errors.split(separator: "\n").last { $0.contains("connected to the broker") }
        return line?.contains("mqtt://127.0.0.1:\(node.port) ") == true
    }
}

/// A subscriber whose session moves from node to node, and what it has received at all of them.
private final class ClusterRecorder {
    private(set) var subscriber: MosquittoSubscriber
    private(set) var node: BrokerNode
    private var earlier: [MosquittoSubscriber.Received] = []

    init(subscriber: MosquittoSubscriber, node: BrokerNode) { (self.subscriber, self.node) = (subscriber, node) }

    var received: [MosquittoSubscriber.Received] { earlier + subscriber.received }
    var ids: Set<String> { Set(received.compactMap(\.id)) }

    func move(to other: BrokerNode) async throws {
        guard other !== node else { return }
        try await subscriber.end()
        earlier += subscriber.received
        (subscriber, node) = (try other.subscriber(), other)
    }

    /// Waits until a message of the test's own arrives.
    func awaitSession() async throws {
        try await eventually("the subscriber has a session", details: { subscriber.errors + node.log }) {
            let message = ["-h", "127.0.0.1", "-p", "\(node.port)", "-q", "1", "-t", "owntracks/test", "-m", "{}"]
            _ = try await ChildProcess("mosquitto_pub", message).outcome()
            return !subscriber.received.isEmpty
        }
    }

    /// Waits until so many more messages have arrived that are not retained ones.
    ///
    /// It may take minutes: nodes of RabbitMQ 3.10 that come back without a majority wait for one before they take part
    /// again in the register of clients, without which no client is accepted.
    func awaitMore(_ count: Int, from fleet: LoggedProcess, after start: Double = Date.now.timeIntervalSince1970)
        async throws
    {
        try await eventually(
            "\(count) more arrive", within: 1200, details: { subscriber.errors + fleet.errors.suffix(4000) + node.log }
        ) {
            try restartIfEnded()
            return received.count { $0.arrival > start && !$0.isRetained } >= count
        }
    }

    func awaitAll(_ ids: some Sequence<String>, from fleet: LoggedProcess) async throws {
        try await eventually(
            "all arrive", within: 300,
            details: { "missing: \(Set(ids).subtracting(self.ids)) \(fleet.errors.suffix(1000))" }
        ) {
            try restartIfEnded()
            return Set(ids).isSubset(of: self.ids)
        }
    }

    /// mosquitto_sub ends where a broker answers that it is not available yet.
    private func restartIfEnded() throws {
        guard subscriber.exitCode != nil else { return }
        earlier += subscriber.received
        subscriber = try node.subscriber()
    }

    /// Seconds.
    func longestPause(since start: Double) -> Double {
        let times = received.map(\.arrival)
        let before = times.last { $0 <= start } ?? start
        let later = [before] + times.filter { $0 > start }
        let pauses = zip(later.dropFirst(), later).map { $0 - $1 }
        return ((pauses.max() ?? 0) * 100).rounded() / 100
    }
}
