package import Logging
@_spi(Programs) import SystemSupport

/// Writes the metrics for node_exporter's textfile collector, where the configuration names a file.
///
/// Ownership: the settings are a value behind a lock, changed by whoever reads the configuration; the file belongs to
/// the task that runs ``write(_:)``. Without a configured file nothing runs. Nothing of it is on the event loop.
package final class MetricsFileWriter: Sendable {
    private let latestSettings: Latest<MetricsSettings>
    private let pause: @Sendable (Double) async -> Void
    private let logger: Logger

    /// - Parameter pause: returns after so many seconds, or at once when the task is cancelled.
    package init(
        _ settings: MetricsSettings, logger: Logger,
        pause: @escaping @Sendable (Double) async -> Void = { try? await Pause.sleep(for: .seconds($0)) }
    ) {
        latestSettings = Latest(settings)
        self.logger = logger
        self.pause = pause
    }

    /// Changes the file or the interval, or stops writing.
    package func apply(_ settings: MetricsSettings) {
        if settings != latestSettings.current.value { latestSettings.change { $0 = settings } }
    }

    /// Writes until cancelled, then removes the file it has written.
    ///
    /// - Parameter text: the present metrics.
    package func write(_ text: () async throws -> String) async {
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
            "create the directory and let the service's user write there (a unit with a read-only system needs"
            + " ReadWritePaths= too), or change metrics.textfile"
        logger.error(
            "the metrics cannot be written; it is tried again at every interval",
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
