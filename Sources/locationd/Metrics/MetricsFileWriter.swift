import DaemonConfiguration
import Glibc
import Logging
import ServiceLifecycle
import SystemSupport

/// Writes the metrics for node_exporter's textfile collector, where the configuration names a file.
///
/// Ownership: the settings are a value behind a lock, changed by whoever reads the configuration; the file belongs to
/// the task that runs ``write(_:)``. Without a configured file nothing runs. Everything is off the event loop, except
/// for copying its counters.
final class MetricsFileWriter: Sendable {
    private let latestSettings: Latest<Configuration.Metrics>
    private let pause: @Sendable (Double) async -> Void
    private let logger: Logger

    /// - Parameter pause: returns after so many seconds, or at once when the task is cancelled.
    init(
        _ settings: Configuration.Metrics, logger: Logger,
        pause: @escaping @Sendable (Double) async -> Void = { try? await Pause.sleep(for: .seconds($0)) }
    ) {
        latestSettings = Latest(settings)
        self.logger = logger
        self.pause = pause
    }

    /// Changes the file or the interval, or stops writing.
    func apply(_ settings: Configuration.Metrics) {
        if settings != latestSettings.current.value { latestSettings.change { $0 = settings } }
    }

    /// Writes until cancelled, then removes the file it has written.
    ///
    /// - Parameter text: the present metrics.
    func write(_ text: () async throws -> String) async {
        var present: MetricsFile?
        var isFailureLogged = false
        while !Task.isCancelled {
            let (settings, version) = latestSettings.current
            let file = settings.textfile.map { MetricsFile(path: $0) }
            if file != present {
                present?.remove()
                present = file
                isFailureLogged = false
            }
            guard let file else {
                _ = await latestSettings.change(after: version)
                continue
            }
            do {
                try file.replace(with: try await text())
                if isFailureLogged {
                    logger.notice("the metrics are written again", metadata: ["file": "\(file.path)"])
                }
                isFailureLogged = false
            } catch {
                if !isFailureLogged { logFailure(error) }
                isFailureLogged = true
            }
            await wait(settings.interval, orChangeAfter: version)
        }
        present?.remove()
    }

    private func logFailure(_ error: any Error) {
        let advice =
            "create the directory and let the daemon's user write there (a unit with a read-only system needs"
            + " ReadWritePaths= too), or change metrics.textfile"
        logger.error(
            "the metrics cannot be written; the daemon tries again at every interval",
            metadata: ["reason": "\(error)", "advice": "\(advice)"])
    }

    private func wait(_ seconds: Double, orChangeAfter version: Int) async {
        await withTaskGroup { group in
            group.addTask { await self.pause(seconds) }
            group.addTask { _ = await self.latestSettings.change(after: version) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension MetricsFileWriter {
    /// A service of the daemon that writes the file.
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

/// A file of metrics for node_exporter's textfile collector: replaced atomically. Its group may read it, which is the
/// directory's group if that has the setgid bit; other users may not, because demand and deliveries show when the
/// receivers run.
///
/// It is not synced, which would wear flash out: after a power failure the daemon writes it anew.
struct MetricsFile: Sendable, Equatable {
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: what failed, in words; the old content is then still there.
    func replace(with text: String) throws(Failure) {
        // The collector ignores this name.
        let temporary = path + ".new"
        unlink(temporary)
        // O_EXCL, so that a link that appears under the name is not followed.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw failure("cannot create", temporary) }
        var problem: Failure?
        // Independent of the umask.
        if fchmod(descriptor, 0o640) != 0 { problem = failure("cannot set the permissions of", temporary) }
        if problem == nil, !write(Array(text.utf8), to: descriptor) { problem = failure("cannot write", temporary) }
        close(descriptor)
        if problem == nil, rename(temporary, path) != 0 { problem = failure("cannot replace", path) }
        guard let problem else { return }
        unlink(temporary)
        throw problem
    }

    /// Removes the file, so that no stale figures remain.
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
