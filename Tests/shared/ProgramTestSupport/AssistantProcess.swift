import Glibc

/// A program that visits the one under test, perhaps as another user or inside a control group.
///
/// Its standard input is the far end of a pair of sockets, whose near end the test has. It is to end when it reads the
/// end there, and does not outlive this object.
package final class AssistantProcess: Sendable {
    /// The near end of the pair.
    package let hand: Int32
    private let child: ChildProcess
    /// Goes after the process that is in it.
    private let group: ControlGroup?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program's name, to be found by the path, and its arguments.
    ///   - uid: whose process it is, and the number of that user's group; `nil` is the test's own.
    ///   - groups: the supplementary groups of another user.
    ///   - group: where it starts.
    package init(
        _ command: [String], uid: UInt32? = nil, groups: [UInt32] = [], in group: ControlGroup? = nil
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure("no pair of sockets")
        }
        hand = ends[0]
        self.group = group
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(hand, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var words: [String] = []
        if let group {
            // The number 0 stands for who writes it.
            words += ["sh", "-c", #"echo 0 >"$0/cgroup.procs" && exec "$@""#, group.path]
        }
        if let uid {
            words += ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)"]
            words +=
                groups.isEmpty ? ["--clear-groups"] : ["--groups", groups.map(String.init).joined(separator: ",")]
        }
        words += command
        // The program alone keeps the far end, so that the near one tells when it is gone.
        defer { close(ends[1]) }
        do {
            child = try ChildProcess(words[0], Array(words.dropFirst()), input: ends[1])
        } catch {
            close(hand)
            throw error
        }
    }

    deinit {
        close(hand)
    }

    /// The interpreter of ``python(_:_:)``.
    package static let interpreter = "/usr/bin/python3"

    /// The command that runs a script, which finds its arguments from `sys.argv[1]` on.
    package static func python(_ script: String, _ arguments: [String] = []) -> [String] {
        [interpreter, "-I", "-c", script] + arguments
    }

    package var id: Int32 { child.id }

    /// Sends it one byte.
    package func nudge() throws {
        guard send(hand, "!", 1, Int32(MSG_NOSIGNAL)) == 1 else { throw Failure("the assistant does not listen") }
    }

    /// What it says next by its hand.
    package func hear() async throws -> String {
        try await blocking { [self] in try receiveText(hand) }
    }

    /// Waits until it has ended by itself.
    package func outcome() async throws -> ChildProcess.Outcome {
        try await child.outcome()
    }

    /// Lets it end, and waits until it is gone and reaped.
    package func end() async throws {
        shutdown(hand, Int32(SHUT_RDWR))
        _ = try await child.outcome(within: 60)
    }
}
