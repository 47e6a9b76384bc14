import Glibc
import ProgramTestSupport

/// A service that takes calls and answers none.
final class SilentService {
    let path: String
    private let listener: Int32
    private var connections: [UnixSocket] = []
    private var past = 0
    private var texts: [String] = []

    init(_ path: String) throws {
        self.path = path
        listener = try SocketFile.listener(at: path)
    }

    deinit { close(listener) }

    /// How many have called.
    var callCount: Int {
        while let connection = UnixSocket(acceptedBy: listener) { connections.append(connection) }
        return past + connections.count
    }

    /// How many of the calls that wait are of that method. No call's text is read by anything else then.
    func callCount(of method: String) throws -> Int {
        while let connection = UnixSocket(acceptedBy: listener) { connections.append(connection) }
        texts += Array(repeating: "", count: connections.count - texts.count)
        for (index, connection) in connections.enumerated() {
            texts[index] += String(decoding: try connection.read(forMilliseconds: 0) ?? [], as: UTF8.self)
        }
        return texts.count { $0.contains(method) }
    }

    /// The text of the newest call, as it arrives.
    func newestCall() async throws -> String {
        try await eventually("a call") { callCount > past }
        guard let connection = connections.last else { throw Failure("no call") }
        var text: [UInt8] = []
        try await eventually("the whole call", details: { String(decoding: text, as: UTF8.self) }) {
            text += try connection.read(forMilliseconds: 0) ?? []
            return text.last == 0
        }
        return String(decoding: text.dropLast(), as: UTF8.self)
    }

    /// Ends all calls, and answers further ones as little.
    func closeAll() {
        _ = callCount
        (connections, texts) = ([], [])
        past = 0
    }

    /// Sends the same to all who wait, and ends their calls.
    func answerAll(_ text: String) throws {
        _ = callCount
        for connection in connections { try connection.write(Array(text.utf8)) }
        past += connections.count
        connections = []
    }
}
