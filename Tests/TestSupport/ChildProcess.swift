package import Foundation
import Glibc
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

    package let id: pid_t
    private let output: FileHandle
    private let ended: AsyncStream<Int32>
    private let known = Mutex<Outcome?>(nil)

    /// Starts a program found by the path.
    ///
    /// - Parameter input: what it has as its standard input; `nil` for nothing.
    package init(_ program: String, _ arguments: [String], input: FileHandle? = nil) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = (environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        process.environment = environment
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.terminationHandler = { process in
            continuation.yield(
                process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            continuation.finish()
        }
        // A worker thread blocks most signals, and its children would do so too: they have to hear when to end.
        var none = sigset_t()
        var usual = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try process.run()
        id = process.processIdentifier
        output = pipe.fileHandleForReading
    }

    deinit {
        if known.withLock({ $0 }) == nil { kill(id, SIGKILL) }
    }

    /// Waits until it has ended, and everybody who writes where it does; a program that takes longer is killed. To be
    /// awaited by one caller at a time.
    package func outcome(within seconds: Double = 30) async throws -> Outcome {
        if let known = known.withLock({ $0 }) { return known }
        let code = try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask { [ended] in
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
            kill(id, SIGKILL)
            throw Failure("the program did not end within \(seconds) s")
        }
        let outcome = Outcome(code: code, output: String(decoding: output.readDataToEndOfFile(), as: UTF8.self))
        known.withLock { $0 = outcome }
        return outcome
    }

    /// Ends it, and waits until it is gone.
    package func end() async throws {
        kill(id, SIGTERM)
        _ = try await outcome(within: 10)
    }
}
