import Glibc
import ProgramTestSupport

/// A program of another user. It makes connections and hands them to the test, which speaks by them, while the kernel
/// vouches for that user; they end with the program, which ends with this object.
final class OtherUserProcess {
    private let assistant: AssistantProcess

    /// - Parameters:
    ///   - uid: whose process it is; `nil` for one that may ``become(_:groups:)`` any.
    ///   - groups: the supplementary groups of that user.
    ///   - place: the control group it runs in, from the root of the hierarchy.
    ///   - interpreter: another path of the same program, whose last part names the process.
    init(
        uid: UInt32? = nil, groups: [UInt32] = [], in place: String? = nil,
        interpreter: String = AssistantProcess.interpreter
    ) throws {
        assistant = try AssistantProcess(
            [interpreter, "-I", "-c", Self.script], uid: uid, groups: groups, in: place.map { try ControlGroup($0) })
    }

    var pid: Int32 { assistant.id }

    /// Makes a connection.
    /// - Throws: the system's words if it is refused.
    func connect(to path: String) throws -> ClientConnection {
        try tell("connect \(path)")
        guard let descriptor = try receiveDescriptor(assistant.hand) else {
            throw Failure("refused: \(try receiveText(assistant.hand))")
        }
        return ClientConnection(descriptor: descriptor, by: self)
    }

    /// Changes user and groups, as a login does.
    func become(_ uid: UInt32, group: UInt32? = nil, groups: [UInt32] = []) throws {
        try tell("become \(uid) \(group ?? uid) \(groups.map(String.init).joined(separator: " "))")
        _ = try receiveText(assistant.hand)
    }

    private func tell(_ words: String) throws {
        guard Glibc.send(assistant.hand, words, words.utf8.count, Int32(MSG_NOSIGNAL)) == words.utf8.count else {
            throw Failure("the program is gone")
        }
    }

    /// It keeps none of its connections open: the test alone closes them.
    private static let script = """
        import os, socket
        hand = socket.socket(fileno=0)
        while words := hand.recv(65536).decode().split():
            if words[0] == "become":
                os.setresuid(0, 0, 0)
                os.setgroups(list(map(int, words[3:])))
                os.setresgid(int(words[2]), int(words[2]), int(words[2]))
                os.setresuid(int(words[1]), int(words[1]), 0)
                hand.send(b"!")
                continue
            with socket.socket(socket.AF_UNIX) as connection:
                try:
                    connection.connect(words[1])
                    socket.send_fds(hand, [b"!"], [connection.fileno()])
                except OSError as error:
                    hand.send(b"!")
                    hand.send(os.strerror(error.errno).encode())
        """
}
