import DaemonConfiguration
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
