import Dispatch
import Glibc
import TestSupport

/// A daemon that answers the first call of the first connection with the bytes that the test sets, right or wrong.
final class ScriptedDaemon: Sendable {
    enum Ending: Sendable {
        /// Closes the connection after the answer.
        case closes
        /// Keeps the connection open until the client closes it.
        case stays
    }

    let path: String
    private let folder: TemporaryFolder
    private let call: AsyncStream<[UInt8]>
    private let left: AsyncStream<Void>

    /// - Parameters:
    ///   - answer: the bytes to send once a whole call has been received.
    init(answer: [UInt8], then ending: Ending) throws {
        folder = try TemporaryFolder()
        path = folder("daemon.sock")
        let listener = try SocketFile.listener(at: path, backlog: 1)
        let (call, calls) = AsyncStream.makeStream(of: [UInt8].self)
        let (left, leaves) = AsyncStream.makeStream(of: Void.self)
        self.call = call
        self.left = left
        DispatchQueue(label: "scripted-daemon").async {
            let client = accept(listener, nil, nil)
            close(listener)
            calls.yield(Self.receiveCall(client))
            Self.send(answer, to: client)
            if ending == .stays { Self.waitForEnd(client) }
            close(client)
            leaves.finish()
        }
    }

    convenience init(answer: String, then ending: Ending) throws {
        try self.init(answer: Array(answer.utf8), then: ending)
    }

    /// The bytes of the call, without the NUL.
    func receivedCall() async -> String {
        for await call in call { return String(decoding: call, as: UTF8.self) }
        return ""
    }

    /// Returns when the connection is closed, by the client or after the answer.
    func clientLeft() async {
        for await _ in left {}
    }

    private static func receiveCall(_ client: Int32) -> [UInt8] {
        var call: [UInt8] = []
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) == 1, byte != 0 { call.append(byte) }
        return call
    }

    private static func send(_ answer: [UInt8], to client: Int32) {
        var sent = 0
        while sent < answer.count {
            let count = answer[sent...].withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private static func waitForEnd(_ client: Int32) {
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) == 1 {}
    }
}
