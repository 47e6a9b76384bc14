import Glibc
import TestSupport

/// A service that takes calls and answers none.
final class SilentService {
    let path: String
    private let listener: Int32
    private var connections: [UnixSocket] = []
    private var past = 0

    init(_ path: String) throws {
        self.path = path
        listener = try UnixAddress.listener(at: path)
    }

    deinit { close(listener) }

    /// How many have called.
    var callCount: Int {
        while let connection = UnixSocket(acceptedBy: listener) { connections.append(connection) }
        return past + connections.count
    }

    /// Ends all calls, and answers further ones as little.
    func closeAll() {
        _ = callCount
        connections = []
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
