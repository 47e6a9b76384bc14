import Foundation
package import Glibc
import Synchronization

/// A broker of the test's own, the real Mosquitto, at a port of the loopback interface.
package final class Mosquitto: Sendable {
    package let port: UInt16
    private let folder: TemporaryFolder
    private let current = Mutex<LoggedProcess?>(nil)

    /// Makes its configuration; ``start()`` starts it.
    ///
    /// - Parameter settings: further lines, of the listener; without any, everybody may do everything.
    package convenience init(_ settings: [String] = ["allow_anonymous true"]) throws { try self.init { _ in settings } }

    /// - Parameter settings: the same, with files in the broker's folder.
    private init(_ settings: (TemporaryFolder) throws -> [String]) throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        // Sessions that were there at the last ordinary end are there again after it was killed.
        let lines = [
            "user root", "persistence true", "persistence_location \(folder.path)/", "log_type all",
            "max_queued_messages 0", "listener \(port) 127.0.0.1",
        ]
        try folder.write((lines + settings(folder)).joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }

    /// One that allows nobody to subscribe, by its plugin of access lists. With an `acl_file` it would accept each
    /// subscription, and send nothing.
    package static func refusingSubscriptions() throws -> Mosquitto {
        let plugin = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
            .map { "/usr/lib/\($0)/mosquitto_dynamic_security.so" }
            .first { FileManager.default.fileExists(atPath: $0) }
        guard let plugin else { throw Failure("the package mosquitto has no plugin of access lists") }
        return try Mosquitto { folder in
            let access = #""publishClientSend":true,"publishClientReceive":true,"subscribe":false,"unsubscribe":true"#
            let lists = #"{"defaultACLAccess":{\#(access)},"clients":[],"groups":[],"roles":[]}"#
            return [
                "allow_anonymous true", "plugin \(plugin)",
                "plugin_opt_config_file \(try folder.write(lists, to: "access.json"))",
            ]
        }
    }

    package var address: String { "mqtt://127.0.0.1:\(port)" }
    package var pid: pid_t? { current.withLock { $0?.pid } }
    package var log: String { current.withLock { $0?.errors ?? "" } }

    /// Starts it, and waits until clients can connect.
    package func start() async throws {
        let process = try LoggedProcess("mosquitto", ["-c", folder("mosquitto.conf")])
        current.withLock { $0 = process }
        try await eventually("mosquitto listens", details: { process.errors }) {
            if let code = process.exitCode { throw Failure("mosquitto ended with \(code): \(process.errors)") }
            return LoopbackPort.isListening(self.port)
        }
    }

    /// Waits until the subscriber is connected again. Before, a broker that is killed loses what it has acknowledged.
    package func awaitSubscriber() async throws {
        try await eventually("the subscriber is back", details: { self.log }) { self.log.contains(" as recorder ") }
    }

    package func signal(_ number: Int32) { current.withLock { $0?.signal(number) } }

    /// Ends it by a signal, and waits until it has ended.
    package func end(by number: Int32 = SIGTERM) async throws {
        guard let process = current.withLock({ $0 }) else { return }
        process.signal(number)
        try await eventually("mosquitto ends") { process.exitCode != nil }
    }

    /// A subscriber of all topics, whose session the broker keeps: while it is away, messages wait for it.
    package func subscriber(_ topic: String = "#", _ flags: [String] = []) throws -> MosquittoSubscriber {
        try MosquittoSubscriber(port, topic, flags)
    }

    /// Starts and ends the broker once with a subscriber, so that it knows the subscriber's session when it is killed.
    package func startWithSubscriber() async throws -> MosquittoSubscriber {
        try await start()
        let subscriber = try subscriber()
        try await eventually("it has subscribed", details: { self.log }) { self.log.contains("Sending SUBACK") }
        try await end()
        try await start()
        try await awaitSubscriber()
        return subscriber
    }
}

/// `mosquitto_sub`, which connects again by itself when the broker is back.
package final class MosquittoSubscriber: Sendable {
    /// One message as it was received.
    package struct Received: Sendable {
        /// Seconds since 1970 when it arrived.
        package let arrival: Double
        package let topic: String
        package let isRetained: Bool
        package let payload: String

        /// A member of the payload, which is an object of JSON.
        package func member(_ name: String) -> Any? {
            (try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any])?[name]
        }

        /// The `_id` of OwnTracks.
        package var id: String? { member("_id") as? String }
    }

    private let process: LoggedProcess

    init(_ port: UInt16, _ topic: String, _ flags: [String]) throws {
        process = try LoggedProcess(
            "stdbuf",
            ["-oL", "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic, "-F", "%U %r %t %p"]
                + (flags.isEmpty ? ["-c", "-i", "recorder"] : flags))
    }

    package var errors: String { process.errors }
    package var exitCode: Int32? { process.exitCode }

    /// Ends it; a session that the broker keeps stays there.
    package func end() async throws {
        process.signal(SIGTERM)
        try await eventually("the subscriber ends") { process.exitCode != nil }
    }

    /// What it has received so far.
    package var received: [Received] {
        // The last line may not have been written to its end.
        process.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 3)
            guard parts.count == 4, let arrival = Double(parts[0]) else { return nil }
            return Received(
                arrival: arrival, topic: String(parts[2]), isRetained: parts[1] == "1", payload: String(parts[3]))
        }
    }
}
