import DaemonConfiguration
import Glibc
import Logging
import ServiceLifecycle
import SystemSupport

/// Writes the metrics for node_exporter's textfile collector, where the configuration names a file.
///
/// Ownership: what is wished is a value behind a lock, changed by whoever reads the configuration; the file is the
/// task's that runs ``write(_:)``. Without a file nothing happens at all. Everything is off the event loop, but for the
/// moment in which it copies its counts.
final class MetricsFileWriter: Sendable {
    private let wish: Latest<Configuration.Metrics>
    private let pause: @Sendable (Double) async -> Void
    private let logger: Logger

    /// - Parameter pause: returns after so many seconds, or at once when the task is cancelled.
    init(
        _ settings: Configuration.Metrics, logger: Logger,
        pause: @escaping @Sendable (Double) async -> Void = { try? await Pause.sleep(for: .seconds($0)) }
    ) {
        wish = Latest(settings)
        self.logger = logger
        self.pause = pause
    }

    /// Another file, another interval, or no file from now on.
    func apply(_ settings: Configuration.Metrics) {
        if settings != wish.current.value { wish.change { $0 = settings } }
    }

    /// Writes until cancelled; no file that this wrote is left then.
    ///
    /// - Parameter text: the metrics now.
    func write(_ text: () async throws -> String) async {
        var present: MetricsFile?
        var isFailureTold = false
        while !Task.isCancelled {
            let (wish, version) = wish.current
            let file = wish.textfile.map { MetricsFile(path: $0) }
            if file != present {
                present?.remove()
                present = file
                isFailureTold = false
            }
            guard let file else {
                _ = await self.wish.change(after: version)
                continue
            }
            do {
                try file.replace(with: try await text())
                if isFailureTold { logger.notice("the metrics are written again", metadata: ["file": "\(file.path)"]) }
                isFailureTold = false
            } catch {
                if !isFailureTold { complain(error) }
                isFailureTold = true
            }
            await wait(wish.interval, orChangeAfter: version)
        }
        present?.remove()
    }

    private func complain(_ error: any Error) {
        let advice =
            "create the directory and let the daemon's user write there (a unit with a read-only system needs"
            + " ReadWritePaths= too), or change metrics.textfile"
        logger.error(
            "the metrics cannot be written; it is tried again at every interval",
            metadata: ["reason": "\(error)", "advice": "\(advice)"])
    }

    private func wait(_ seconds: Double, orChangeAfter version: Int) async {
        await withTaskGroup { group in
            group.addTask { await self.pause(seconds) }
            group.addTask { _ = await self.wish.change(after: version) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension MetricsFileWriter {
    /// The writing as a service of the daemon.
    func writing(_ text: @escaping @Sendable () async throws -> String) -> any Service {
        Writing(file: self, text: text)
    }

    private struct Writing: Service {
        let file: MetricsFileWriter
        let text: @Sendable () async throws -> String

        func run() async {
            await cancelWhenGracefulShutdown { await file.write(text) }
        }
    }
}

/// A file of metrics for node_exporter's textfile collector: replaced as a whole or not at all. Its group may read
/// it, which is the directory's if that passes its group on; from demand and deliveries everybody would learn when the
/// receivers run.
///
/// It is not forced to the disk, which would wear flash out: whoever starts after a power failure writes it anew.
struct MetricsFile: Sendable, Equatable {
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: what failed, in words; the old content is then still there.
    func replace(with text: String) throws(Failure) {
        // Not a name that the collector reads.
        let temporary = path + ".new"
        unlink(temporary)
        // O_EXCL: a link that appears under the name is not followed.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw failure("cannot create", temporary) }
        var problem: Failure?
        // Whatever the umask is.
        if fchmod(descriptor, 0o640) != 0 { problem = failure("cannot open to the group", temporary) }
        if problem == nil, !write(Array(text.utf8), to: descriptor) { problem = failure("cannot write", temporary) }
        close(descriptor)
        if problem == nil, rename(temporary, path) != 0 { problem = failure("cannot replace", path) }
        guard let problem else { return }
        unlink(temporary)
        throw problem
    }

    /// Leaves no figures that nobody renews.
    func remove() {
        unlink(path)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func failure(_ attempt: String, _ path: String) -> Failure {
        Failure(description: "\(attempt) \(path): \(String(cString: strerror(errno)))")
    }
}
