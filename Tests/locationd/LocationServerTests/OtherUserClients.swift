import Glibc
import ProgramTestSupport

/// Connections made by another user's process, so that the kernel vouches for another uid, or for a unit.
///
/// The process connects, hands the connections over and waits: it ends with the last of the clients, or when a test
/// ends it by ``WireClient/process``.
enum OtherUserClients {
    /// Nobody's, and not the one that stands for all that are unknown.
    static let uid: UInt32 = 65_533

    /// Whether this process may start one of another user.
    static var isPossible: Bool { getuid() == 0 }

    /// Whether this process may start one inside a unit.
    static var isPossibleInUnit: Bool { isPossible && ControlGroup.isPossible }

    /// - Parameters:
    ///   - request: what each connection says first.
    ///   - unit: the name of the system's unit that the process is started in, such as `example.service`.
    static func connect(
        to path: String, count: Int = 1, uid: UInt32 = uid, groups: [UInt32] = [], saying request: String = "",
        unit: String? = nil
    ) async throws -> [WireClient] {
        let assistant = try AssistantProcess(
            AssistantProcess.python(script, [path, "\(count)", request]), uid: uid, groups: groups,
            in: unit.map { try ControlGroup("system.slice/\($0)") })
        do {
            let connections = try await blocking {
                try (0..<count).compactMap { _ in try receiveDescriptor(assistant.hand) }
            }
            return connections.map { WireClient(descriptor: $0, process: assistant) }
        } catch {
            throw Failure("the other user could not connect: \(try await assistant.outcome().output)")
        }
    }

    /// The process keeps none of its connections open: the test alone closes them.
    private static let script = """
        import socket, sys
        hand = socket.socket(fileno=0)
        connections = []
        for _ in range(int(sys.argv[2])):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(sys.argv[1])
            if sys.argv[3]:
                try:
                    connection.sendall(sys.argv[3].encode() + b"\\0")
                except OSError:
                    pass # The server may have closed it already.
            connections.append(connection)
        for connection in connections:
            socket.send_fds(hand, [b"!"], [connection.fileno()])
            connection.close()
        hand.recv(1)
        """
}
