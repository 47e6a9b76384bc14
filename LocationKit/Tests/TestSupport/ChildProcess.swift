package import Glibc
import Synchronization

/// A program that runs beside the test; it is gone, and reaped, when the test is.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package struct Outcome: Sendable {
        /// The exit code, or the signal's number made negative.
        package let code: Int32
        /// What it wrote, to both outputs.
        package let output: String
    }

    private let childExit: ChildExit
    /// Where its output can be read.
    private let output: Int32
    private let known = Mutex<Outcome?>(nil)

    /// Starts a program found by the path.
    ///
    /// - Parameter input: what it has as its standard input; `nil` for nothing.
    package init(_ program: String, _ arguments: [String], input: Int32? = nil) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure("no pipe") }
        defer { close(ends[1]) }
        do {
            childExit = ChildExit(
                of: try Spawn.start([program] + arguments, input: input, output: ends[1], errors: ends[1]))
        } catch {
            close(ends[0])
            throw error
        }
        output = ends[0]
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        childExit.signal(SIGKILL)
        close(output)
    }

    package var id: pid_t { childExit.id }

    /// Waits until it has ended, and everybody who writes where it does; a program that takes longer is killed. To be
    /// awaited by one caller at a time.
    package func outcome(within seconds: Double = 240) async throws -> Outcome {
        if let known = known.withLock({ $0 }) { return known }
        let code = try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask { [ended = childExit.ended] in
                for await code in ended { return code }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                return nil
            }
            let first = try await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let code else {
            childExit.signal(SIGKILL)
            throw Failure("the program did not end within \(seconds) s")
        }
        let outcome = Outcome(code: code, output: try await blocking { [self] in readOutput() })
        known.withLock { $0 = outcome }
        return outcome
    }

    /// Ends it, and waits until it is gone.
    package func end() async throws {
        childExit.signal(SIGTERM)
        _ = try await outcome(within: 60)
    }

    private func readOutput() -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while case let count = read(output, &part, part.count), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
