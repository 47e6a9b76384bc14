import Foundation
package import Glibc
import Synchronization

/// Three real brokers of the test's own on the loopback interface, which replicate what they are given.
package protocol BrokerCluster: Sendable {
    /// Of each of its brokers; in no order of importance.
    var nodes: [BrokerNode] { get }
    /// The node that at present orders what all replicate of the session `recorder`.
    func leader() async throws -> BrokerNode
    /// Whether all nodes take part again, and none has to catch up.
    func isWhole() async throws -> Bool
}

extension BrokerCluster {
    /// The nodes' addresses, for a client that tries them in this order.
    package var addresses: String { nodes.map { "mqtt://127.0.0.1:\($0.port)" }.joined(separator: ",") }

    /// Starts all nodes, and waits until they make up the cluster.
    package func start() async throws {
        for node in nodes { try node.start() }
        try await awaitWhole()
    }

    package func awaitWhole() async throws {
        try await eventually("the cluster is whole", within: 1200, details: { nodes.map(\.log).joined() }) {
            for node in nodes { try node.checkRuns() }
            guard nodes.allSatisfy({ LoopbackPort.isListening($0.port) }) else { return false }
            return try await isWhole()
        }
    }
}

/// Which cluster, for tests that are run with each.
package enum BrokerClusterKind: String, CaseIterable, Sendable, CustomStringConvertible {
    case nats = "NATS"
    case rabbitMQ = "RabbitMQ"

    /// The folder with the files of Debian's packages, which `make .build/brokers` makes; `nil` where nobody has named
    /// it.
    package static let packages = ProcessInfo.processInfo.environment["LOCATIOND_TEST_BROKERS"]

    package var description: String { rawValue }

    /// Makes its configuration; nothing is started.
    package func make() throws -> any BrokerCluster {
        guard let packages = Self.packages else { throw Failure("LOCATIOND_TEST_BROKERS names no folder") }
        return switch self {
        case .nats: try NATSCluster(packages)
        case .rabbitMQ: try RabbitMQCluster(packages)
        }
    }
}

/// One broker of a cluster, which can be killed and started again over the same files.
package final class BrokerNode: Sendable {
    package let name: String
    /// For MQTT.
    package let port: UInt16
    private let words: [String]
    private let environment: [String: String]
    private let current = Mutex<LoggedProcess?>(nil)

    init(_ name: String, _ port: UInt16, _ words: [String], environment: [String: String] = [:]) {
        (self.name, self.port, self.words, self.environment) = (name, port, words, environment)
    }

    /// Of the process that was started last.
    package var pid: pid_t? { current.withLock { $0?.pid } }
    package var log: String {
        current.withLock { $0.map { "\(name): \(($0.output + $0.errors).suffix(2000))\n" } ?? "" }
    }

    package func start() throws {
        let process = try LoggedProcess(words[0], Array(words.dropFirst()), environment: environment)
        current.withLock { $0 = process }
    }

    func checkRuns() throws {
        guard let code = current.withLock({ $0?.exitCode }) else { return }
        throw Failure("\(name) ended with \(code): \(log)")
    }

    package func signal(_ number: Int32) { current.withLock { $0?.signal(number) } }

    /// Kills it, and waits until it is gone.
    package func kill() async throws {
        guard let process = current.withLock({ $0 }) else { return }
        process.signal(SIGKILL)
        try await eventually("\(name) is gone") { process.exitCode != nil }
    }

    /// A subscriber of all locations, whose session the cluster keeps under its name.
    package func subscriber(_ name: String = "recorder") throws -> MosquittoSubscriber {
        try MosquittoSubscriber(port, "owntracks/#", ["-c", "-i", name])
    }
}
