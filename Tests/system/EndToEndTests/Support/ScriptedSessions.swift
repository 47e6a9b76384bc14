import Glibc
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport

/// The connections of a scripted service, each on a thread of its own that ends when the client leaves.
final class ScriptedSessions: Sendable {
    private struct State {
        var calls: [[UInt8]] = []
        /// How often each method was called.
        var counts: [String: Int] = [:]
        var connections: [Int32] = []
        /// Those that were promised more replies.
        var streams: [Int32] = []
    }

    private let answers: [String: [String]]
    private let state = Mutex(State())

    init(_ answers: [String: [String]]) {
        self.answers = answers
    }

    var calls: [String] { state.withLock { $0.calls.map { String(decoding: $0, as: UTF8.self) } } }

    func say(_ reply: String) throws {
        let isSaid = state.withLock { state in
            (state.streams.last ?? state.connections.last).map { Self.send(reply, to: $0) } != nil
        }
        guard isSaid else { throw Failure("nobody is connected") }
    }

    func hangUp() {
        state.withLock { state in
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    func serve(_ connection: Int32) {
        state.withLock { $0.connections.append(connection) }
        let started = DetachedThread.start(named: "scripted") { [self] in
            while let call = Self.receive(connection) { answer(call, on: connection) }
            end(connection)
        }
        if !started { end(connection) }
    }

    private func answer(_ call: [UInt8], on connection: Int32) {
        let method = (try? json(String(decoding: call, as: UTF8.self)))?["method"] as? String
        let name = method?.split(separator: ".").last.map(String.init) ?? ""
        let none = [ScriptedReply.error("org.varlink.service.InterfaceNotFound")]
        state.withLock { state in
            state.calls.append(call)
            state.counts[name, default: 0] += 1
            let replies = answers["\(name) \(state.counts[name] ?? 0)"] ?? answers[name] ?? none
            for reply in replies { Self.send(reply, to: connection) }
            if replies.last?.contains(#""continues":true"#) == true { state.streams.append(connection) }
        }
    }

    private func end(_ connection: Int32) {
        state.withLock { state in
            state.connections.removeAll { $0 == connection }
            state.streams.removeAll { $0 == connection }
        }
        close(connection)
    }

    /// - Returns: `nil` when the client has left.
    private static func receive(_ connection: Int32) -> [UInt8]? {
        var call: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            if byte == 0 { return call }
            call.append(byte)
        }
        return nil
    }

    private static func send(_ reply: String, to connection: Int32) {
        let bytes = Array(reply.utf8) + [0]
        _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
