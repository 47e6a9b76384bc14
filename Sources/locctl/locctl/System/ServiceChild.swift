import CLinux
import Glibc
@_spi(Programs) import SystemSupport

/// Another program of this project, which reads for `locctl` what needs libraries that `locctl` does not have.
///
/// Its standard output is read line by line. What it writes to standard error is kept, and is the message of the
/// failure if it fails. It does not outlive this value, which asks it to end, and kills it if it does not; a program
/// that runs on until it is asked to end has to notice by itself that nobody reads its output any more, as
/// `OutputReader` does, for the case that `locctl` is killed. It may read what others have made to do harm, so its
/// memory is limited, and its time if it is not to run on.
struct ServiceChild: ~Copyable {
    enum Event: Equatable {
        /// A line of its output, without the line end.
        case line([UInt8])
        /// The waker is woken.
        case woken
        /// The time is over.
        case timedOut
        /// It has ended, and its exit code is 0.
        case ended
    }

    /// The longest line, in bytes; longer ones are skipped.
    private static let longestLine = 1 << 20
    /// Bytes of its errors that are kept, the newest.
    private static let keptErrors = 4096
    /// Bytes of memory of its own that it may have, and the stacks of its threads, of which the runtime and the event
    /// loops begin a few for each processor. At work the programs have 30 MiB, and 55 MiB with the stacks, on two
    /// processors.
    private static let (memoryLimit, memoryPerProcessor) = (256 << 20, 32 << 20)
    /// Seconds to end when it is asked to.
    private static let patience = 2.0

    private let name: String
    private let process: pid_t
    private let output, errors: Int32
    private var splitter = LineSplitter(limit: longestLine, overlong: .skip)
    /// Read, and not returned yet.
    private var lines: ArraySlice<[UInt8]> = []
    private var errorText: [UInt8] = []
    private var isReaped = false

    /// Where a program is: beside `locctl`, or where the packages install it.
    ///
    /// - Throws: which package to install, if it is in neither place.
    static func path(of program: String) throws -> String {
        let folders = [OwnProgram.folder, "/usr/sbin"].compactMap(\.self)
        for path in folders.map({ "\($0)/\(program)" }) where access(path, X_OK) == 0 { return path }
        throw Failure(
            code: ExitCodes.failed, message: "\(program) is not installed; install the package \(program)")
    }

    /// Starts a program with the environment of this one.
    ///
    /// - Parameters:
    ///   - path: the absolute path of its file.
    ///   - processorTime: seconds of processor time after which the kernel ends it; `nil` for any.
    /// - Throws: why it cannot be started.
    init(_ path: String, _ arguments: [String], processorTime: Int? = nil) throws {
        let (outputEnd, outputWriter) = try Self.makePipe()
        defer { close(outputWriter) }
        let errorEnd, errorWriter: Int32
        do {
            (errorEnd, errorWriter) = try Self.makePipe()
        } catch {
            close(outputEnd)
            throw error
        }
        defer { close(errorWriter) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, outputWriter, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errorWriter, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The signals that a thread of locctl waits for are blocked here, and would be there.
        var none = Signals.set(of: [])
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, &attributes, words, clinux_environment())
        guard code == 0 else {
            close(outputEnd)
            close(errorEnd)
            throw Failure(
                code: ExitCodes.failed, message: "cannot start \(path): \(String(cString: strerror(code)))")
        }
        // Before it has read anything: it has only just begun.
        let limit = Self.memoryLimit + Self.memoryPerProcessor * Int(sysconf(Int32(_SC_NPROCESSORS_CONF)))
        _ = clinux_limit_process(process, UInt64(limit), UInt64(processorTime ?? 0))
        name = path.split(separator: "/").last.map(String.init) ?? path
        (self.process, output, errors) = (process, outputEnd, errorEnd)
    }

    static func makePipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw Failure(code: ExitCodes.failed, message: "no pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    deinit {
        if !isReaped {
            kill(process, SIGTERM)
            if !Self.isClosed(output, within: Self.patience) { kill(process, SIGKILL) }
            _ = Self.reap(process)
        }
        close(output)
        close(errors)
    }

    /// Waits for the next line, the waker, or the end of the time.
    ///
    /// - Parameter seconds: `nil` for any time.
    /// - Throws: what the program says, if it has failed.
    mutating func nextEvent(waker: Waker, seconds: Double? = nil) throws -> Event {
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        while true {
            if let line = lines.popFirst() { return .line(line) }
            guard !isReaped else { return .ended }
            var entries = [waker.descriptor, output, errors].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let left = end.map { max(0, ($0 - ContinuousClock.now) / .milliseconds(1)).rounded(.up) }
            let count = poll(&entries, 3, left.map { Int32(min($0, 3_600_000)) } ?? -1)
            if count == 0, left == 0 { return .timedOut }
            guard count > 0 else { continue }
            if entries[0].revents != 0 { return .woken }
            if entries[2].revents != 0 { readErrors() }
            if entries[1].revents != 0, !readLines() { try finish() }
        }
    }

    /// - Returns: false at the end of the output.
    private mutating func readLines() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(output, &bytes, bytes.count)
        guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) }
        var found: [[UInt8]] = []
        bytes.withUnsafeBytes { splitter.split(.init(rebasing: $0[..<count])) { found.append($0) } }
        lines += found
        return true
    }

    /// - Returns: false at the end of the errors.
    @discardableResult private mutating func readErrors() -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.keptErrors)
        let count = read(errors, &bytes, bytes.count)
        guard count > 0 else { return false }
        errorText = Array((errorText + bytes[..<count]).suffix(Self.keptErrors))
        return true
    }

    /// The output has ended, and so has the program.
    private mutating func finish() throws {
        while Self.isReadable(errors, within: 0), readErrors() {}
        let status = Self.reap(process)
        isReaped = true
        if let line = splitter.rest() { lines.append(line) }
        let signal = status & 0x7F
        let code = status >> 8 & 0xFF
        guard signal != 0 || code != 0 else { return }
        // Its last words say why it ends.
        let words = String(decoding: errorText, as: UTF8.self).split(separator: "\n").last.map(String.init)
        let outcome = signal != 0 ? "was ended by signal \(signal)" : "failed with exit code \(code)"
        throw Failure(
            code: code == ExitCodes.usage ? code : ExitCodes.failed, message: words ?? "\(name) \(outcome)")
    }

    /// Waits until the other end of a pipe is closed, and drops what comes.
    private static func isClosed(_ descriptor: Int32, within seconds: Double) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let left = (end - ContinuousClock.now) / .seconds(1), left > 0 {
            if isReadable(descriptor, within: left), read(descriptor, &bytes, bytes.count) == 0 { return true }
        }
        return false
    }

    private static func isReadable(_ descriptor: Int32, within seconds: Double) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32((seconds * 1000).rounded(.up))) > 0
    }

    private static func reap(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
