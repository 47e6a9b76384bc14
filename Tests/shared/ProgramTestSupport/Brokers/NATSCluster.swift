import Foundation
import Glibc

/// NATS with JetStream, which keeps sessions and messages in streams that all three nodes have.
final class NATSCluster: BrokerCluster {
    let nodes: [BrokerNode]
    private let monitors: [UInt16]
    private let folder: TemporaryFolder

    /// - Parameter packages: the folder with the files of Debian's packages.
    init(_ packages: String) throws {
        let folder = try TemporaryFolder()
        let routes = try (1...3).map { _ in try LoopbackPort.free() }
        let monitors = try (1...3).map { _ in try LoopbackPort.free() }
        let list = routes.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
        nodes = try (0..<3).map { index in
            let (name, port) = ("n\(index + 1)", try LoopbackPort.free())
            let file = try folder.write(
                """
                server_name: \(name)
                listen: 127.0.0.1:\(try LoopbackPort.free())
                http: 127.0.0.1:\(monitors[index])
                jetstream { store_dir: "\(folder(name))" }
                cluster { name: fleet, listen: 127.0.0.1:\(routes[index]), routes: [\(list)] }
                mqtt { listen: 127.0.0.1:\(port) }
                """, to: "\(name).conf")
            return BrokerNode(name, port, ["\(packages)/usr/sbin/nats-server", "-c", file])
        }
        (self.monitors, self.folder) = (monitors, folder)
    }

    /// What the monitoring of each node that answers says of its streams.
    private func reports() async throws -> [Report] {
        var reports: [Report] = []
        for port in monitors {
            let answer = try await ChildProcess(
                "curl", ["-s", "-m", "2", "http://127.0.0.1:\(port)/jsz?streams=1"]
            ).outcome()
            if let report = try? JSONDecoder().decode(Report.self, from: Data(answer.output.utf8)) {
                reports.append(report)
            }
        }
        return reports
    }

    /// Of the stream with all messages.
    func leader() async throws -> BrokerNode {
        let streams = try await reports().flatMap { $0.accounts?.flatMap { $0.streams ?? [] } ?? [] }
        let name = streams.lazy.filter { $0.name == "$MQTT_msgs" }.compactMap(\.cluster.leader).first
        guard let node = nodes.first(where: { $0.name == name }) else { throw Failure("no leader: \(streams)") }
        return node
    }

    func isWhole() async throws -> Bool {
        let reports = try await reports()
        guard reports.count == nodes.count, reports.allSatisfy({ $0.meta?.leader?.isEmpty == false }) else {
            return false
        }
        // A leader alone knows whether the others have caught up. There are no streams before the first client.
        let streams = reports.flatMap { $0.accounts?.flatMap { $0.streams ?? [] } ?? [] }
        let names = Set(streams.map(\.name))
        return names.allSatisfy { name in
            streams.contains { $0.name == name && $0.cluster.replicas?.count(where: \.current) == nodes.count - 1 }
        }
    }

    private struct Report: Decodable {
        let meta: Meta?
        let accounts: [Account]?

        private enum CodingKeys: String, CodingKey {
            case meta = "meta_cluster"
            case accounts = "account_details"
        }

        struct Meta: Decodable { let leader: String? }

        struct Account: Decodable {
            let streams: [Stream]?

            private enum CodingKeys: String, CodingKey { case streams = "stream_detail" }
        }

        struct Stream: Decodable {
            let name: String
            let cluster: Cluster
        }

        struct Cluster: Decodable {
            let leader: String?
            let replicas: [Replica]?
        }

        struct Replica: Decodable { let current: Bool }
    }
}
