import Foundation
import ProgramTestSupport

/// Requests that a process of another user makes.
enum OtherUserRequest {
    /// Sends a request, and returns all that is answered until the server closes the connection.
    static func answer(
        _ text: String, at port: Int, host: String = "127.0.0.1", by user: OtherUser = .stranger
    ) async throws -> String {
        let script = """
            import socket, sys
            with socket.create_connection((sys.argv[3], int(sys.argv[1])), 60) as connection:
                connection.sendall(sys.argv[2].encode())
                while part := connection.recv(65536):
                    sys.stdout.buffer.write(part)
            """
        let outcome = try await ChildProcess(
            "setpriv", user.command + AssistantProcess.python(script, ["\(port)", text, host])
        ).outcome()
        guard outcome.code == 0 else { throw Failure(outcome.output) }
        return outcome.output
    }
}
