import Foundation
import Glibc
import Synchronization
import TestSupport

/// A daemon with many connections that answers each call as the test says, and counts the connections.
///
/// Ownership: everything is under one lock but the connections, which have their own; the threads, one to accept and
/// one for each connection, hold either lock only to look something up.
final class LiveDaemon: Sendable {
    /// Returns the answers to a call, in order; `nil` closes the connection.
    typealias Answer = @Sendable (_ call: String, _ daemon: LiveDaemon) -> [String]?

    private struct State {
        var listener: Int32
        var calls: [String] = []
        var accepted = 0
        var most = 0
    }

    let path: String
    private let folder: TemporaryFolder
    private let state: Mutex<State>
    private let connections = OpenDescriptors()
    /// The connections over which a call was received.
    private let called = OpenDescriptors()
    /// The connections whose last call is answered.
    private let answered = OpenDescriptors()
    private let answer: Answer

    init(answer: @escaping Answer) throws {
        folder = try TemporaryFolder()
        path = folder("daemon.sock")
        self.answer = answer
        state = Mutex(State(listener: -1))
        try listen()
    }

    deinit {
        stop()
    }

    /// Every call that was received, in order.
    var calls: [String] { state.withLock { $0.calls } }
    /// How many connections are open.
    var open: Int { connections.count }
    /// How many connections were accepted.
    var accepted: Int { state.withLock { $0.accepted } }
    /// The largest number of connections that were open at once.
    var most: Int { state.withLock { $0.most } }

    /// Listens; also again after ``stop()``.
    func listen(backlog: Int32 = 128) throws {
        unlink(path)
        let listener = try SocketFile.listener(at: path, backlog: backlog)
        state.withLock { $0.listener = listener }
        Thread.detachNewThread { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                self?.serve(client) ?? { _ = close(client) }()
            }
            close(listener)
        }
    }

    /// Stops listening and closes every connection.
    func stop() {
        state.withLock { state in
            if state.listener >= 0 { shutdown(state.listener, Int32(SHUT_RDWR)) }
            state.listener = -1
        }
        connections.shutDown()
        unlink(path)
    }

    /// Sends a message on every connection over which a call was received; a part of a message if it is not terminated.
    func send(_ text: String, terminated: Bool = true) {
        called.forEach { Self.send(text, terminated: terminated, to: $0) }
    }

    /// Sends a message on every connection that has no call to be answered.
    func sendToIdle(_ text: String) {
        answered.forEach { Self.send(text, to: $0) }
    }

    private func serve(_ client: Int32) {
        state.withLock { state in
            state.accepted += 1
            state.most = max(state.most, connections.insert(client))
        }
        Thread.detachNewThread { [connections, called, answered, weak self] in
            while let call = Self.receiveCall(client) {
                answered.remove(client)
                // Before the call is counted: a test that has waited for it sends next.
                called.insert(client)
                guard let answers = self?.record(call) else { break }
                for answer in answers { Self.send(answer, to: client) }
                answered.insert(client)
            }
            called.remove(client)
            answered.remove(client)
            connections.close(client)
        }
    }

    private func record(_ call: String) -> [String]? {
        state.withLock { $0.calls.append(call) }
        return answer(call, self)
    }

    private static func receiveCall(_ client: Int32) -> String? {
        var call: [UInt8] = []
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) == 1 {
            if byte == 0 { return String(decoding: call, as: UTF8.self) }
            call.append(byte)
        }
        return nil
    }

    private static func send(_ text: String, terminated: Bool = true, to client: Int32) {
        let bytes = Array(text.utf8) + (terminated ? [0] : [])
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
