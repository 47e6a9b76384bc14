import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceKit
import ServiceServer
@_spi(Programs) import SystemSupport
import TrackHistory
import UnixSignals

/// The service: locations of the daemon go into the file, and what is too old leaves it.
struct HistoryService {
    /// Seconds between two looks at what is too old.
    private static let pruning = 3600.0
    /// Seconds between two status lines, and between two attempts to write what waits.
    private static let interval = 5.0
    /// Seconds from the request to end, in which the disk may respond: systemd kills the process after five
    /// (`TimeoutStopSec=`).
    private static let endingTime: UInt32 = 4
    private static let (day, mebibyte) = (86_400.0, 1_048_576)

    private let configuration: HistoryConfiguration
    private let file: TrackFile
    private let recording: TrackRecording
    private let socketPath: String?
    private let notifications: NotificationSocket?
    private let logger: Logger
    /// Wakes ``write()``, which alone waits for the disk.
    private let wake = WakeSignal()

    /// - Parameter socketPath: where the track is served; `nil` for nowhere.
    /// - Throws: why the file cannot be used.
    init(
        _ configuration: HistoryConfiguration, socketPath: String?, _ notifications: NotificationSocket?,
        _ logger: Logger
    ) throws(TrackFileError) {
        (self.configuration, self.socketPath) = (configuration, socketPath)
        (self.notifications, self.logger) = (notifications, logger)
        file = try TrackFile(at: configuration.track.file)
        recording = try TrackRecording(file, configuration.track.recorder, logger: logger)
    }

    /// Records until there is a signal.
    ///
    /// - Throws: why the file cannot be used any more.
    func run(until signals: UnixSignalsSequence) async throws {
        let server = try await serve()
        logger.notice(
            "recording",
            metadata: [
                "file": "\(file.path)", "socket": "\(socketPath ?? "none")", "version": "\(Release.version)",
            ])
        try await ServiceParts(record, write, report, prune, writeMetrics).run(
            until: signals, notifications,
            whenEnding: {
                EndingDeadline.start(
                    Self.endingTime, logger: logger,
                    message:
                        "the program ends without having written all of the track, because the disk does not respond",
                    advice: "check the disk of \(file.path)")
            })
        await server?.stop()
        if let socketPath { unlink(socketPath) }
        try await recording.write(isLast: true)
        logger.info("ended")
    }

    /// Everybody may connect; the answers depend on who asks.
    private func serve() async throws -> CallServer<TrackAnswerer>? {
        guard let socketPath else { return nil }
        let access = HistoryAccess(
            daemon: configuration.service.daemon, usersMayPause: configuration.access.usersMayPause)
        return try await CallServer(
            socket: .bind(path: socketPath, mode: 0o666, group: nil), limits: CallLimits(),
            answerer: TrackAnswerer(reader: file.reader, recording: recording, access: access), logger: logger)
    }

    private func record() async {
        var watching: Task<Void, Never>?
        for await isPaused in recording.pauses {
            // No receiver is on for a recording that is paused.
            watching?.cancel()
            watching = isPaused ? nil : Task { await recordUntilCancelled() }
        }
        watching?.cancel()
    }

    private func recordUntilCancelled() async {
        let watch = DaemonLocations.inputs(
            at: configuration.service.daemon, isPassive: configuration.track.isPassive,
            estimates: configuration.track.estimates, purpose: "track history")
        await recording.setOutage(nil)
        for await input in watch {
            switch input {
            case .location(let location):
                // The track is where the machine was, not where it may have been.
                guard location.basis != .predicted else { continue }
                await recording.record(location)
                wake.send()
            case .outage(let reason):
                await recording.setOutage(reason)
                logger.warning("no locations come", metadata: ["reason": "\(reason)"])
            case .allowed: await recording.setOutage(nil)
            }
        }
    }

    private func write() async throws { for await _ in wake.signals { try await recording.write() } }

    private func report() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.interval))
            wake.send()
            await recording.checkDisk()
            notifications?.send(await recording.state, waits: false)
        }
    }

    private func writeMetrics() async {
        await MetricsFileWriter(configuration.metrics, logger: logger).write {
            PrometheusText.text(await recording.currentFigures.families(path: file.path))
        }
    }

    private func prune() async throws {
        let retention = configuration.retention
        while !Task.isCancelled {
            let moment = retention.maximumAge.map { MachineClock.utc.advanced(bySeconds: -$0 * Self.day) }
            do throws(TrackFileError) {
                let count = try await file.prune(before: moment, size: retention.maximumSize.map { $0 * Self.mebibyte })
                await recording.addPruned(count)
                if count > 0 { logger.info("the oldest of the track is removed", metadata: ["locations": "\(count)"]) }
            } catch {
                guard error.isTemporary else { throw error }
                logger.error("the oldest of the track cannot be removed", metadata: ["reason": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(Self.pruning))
        }
    }
}
