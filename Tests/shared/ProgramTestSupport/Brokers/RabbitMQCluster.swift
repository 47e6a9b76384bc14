import Foundation
import Glibc

/// RabbitMQ with its plug-in for MQTT. Sessions are quorum queues, which all three nodes have; what is retained, each
/// node has for itself.
final class RabbitMQCluster: BrokerCluster {
    let nodes: [BrokerNode]
    private let folder: TemporaryFolder
    private let programs: String
    private let environment: [String: String]
    /// Where the nodes find each other's ports; each Erlang would start one that outlives it.
    private let epmd: LoggedProcess

    /// - Parameter packages: the folder with the files of Debian's packages.
    init(_ packages: String) throws {
        let folder = try TemporaryFolder()
        let erlang = "\(packages)/usr/lib/erlang"
        let programs = "\(packages)/usr/lib/rabbitmq/bin"
        let names = ["\(packages)/usr/lib/rabbitmq/lib", "\(erlang)/lib"]
        for name in names where !FileManager.default.fileExists(atPath: name) {
            throw Failure("\(name) does not exist")
        }
        let port = try LoopbackPort.free()
        let environment = [
            "PATH": "\(erlang)/bin:/usr/sbin:/usr/bin:/sbin:/bin", "ERL_ROOTDIR": erlang, "HOME": folder.path,
            "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": "\(port)", "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_ENABLED_PLUGINS_FILE": try folder.write("[rabbitmq_mqtt].\n", to: "plugins"),
            "RABBITMQ_MNESIA_BASE": folder("mnesia"), "RABBITMQ_LOG_BASE": folder("log"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                "-kernel inet_dist_use_interface {127,0,0,1} -setcookie \(Self.cookie)",
            // The script becomes Erlang, so that a signal reaches it.
            "RUNNING_UNDER_SYSTEMD": "1",
        ]
        epmd = try LoggedProcess("\(erlang)/bin/epmd", ["-address", "127.0.0.1", "-port", "\(port)"])
        let members = (1...3).map { "cluster_formation.classic_config.nodes.\($0) = rabbit\($0)@localhost" }
        nodes = try (1...3).map { number in
            let (name, port) = ("rabbit\(number)@localhost", try LoopbackPort.free())
            let settings =
                [
                    "listeners.tcp = none", "mqtt.listeners.tcp.1 = 127.0.0.1:\(port)",
                    "mqtt.durable_queue_type = quorum", "mqtt.default_user = guest", "mqtt.default_pass = guest",
                    "cluster_partition_handling = pause_minority",
                    "cluster_formation.peer_discovery_backend = classic_config",
                ] + members
            let own = [
                "RABBITMQ_NODENAME": name, "RABBITMQ_DIST_PORT": "\(try LoopbackPort.free())",
                "RABBITMQ_CONFIG_FILE": try folder.write(
                    settings.joined(separator: "\n") + "\n", to: "rabbit\(number).conf"),
            ]
            return BrokerNode(
                name, port, ["\(programs)/rabbitmq-server"], environment: environment.merging(own) { $1 })
        }
        (self.folder, self.programs, self.environment) = (folder, programs, environment)
    }

    private static let cookie = "loopback"

    /// What `rabbitmqctl` prints, of the first node that answers.
    private func control(_ words: String...) async throws -> String? {
        for node in nodes {
            let command = try LoggedProcess(
                "\(programs)/rabbitmqctl", ["--erlang-cookie", Self.cookie, "-q", "-n", node.name, "-t", "10"] + words,
                environment: environment)
            if try await blocking({ try command.wait() }) == 0 { return command.output }
        }
        return nil
    }

    /// Of the queue that is the session.
    func leader() async throws -> BrokerNode {
        let lines = try await control("list_queues", "name", "leader") ?? ""
        let words = lines.split(separator: "\n").map { $0.split(separator: "\t") }
        let name = words.first { $0.count == 2 && $0[0].contains("recorder") }?[1]
        guard let node = nodes.first(where: { $0.name == name ?? "" }) else { throw Failure("no leader: \(lines)") }
        return node
    }

    func isWhole() async throws -> Bool {
        let answer = try await control("eval", "length(rabbit_nodes:all_running()).")
        return answer?.contains("\(nodes.count)") == true
    }
}
