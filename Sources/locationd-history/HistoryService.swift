import CommandLineFlags
import LocationInterface
import LocationKit
import Logging
import Synchronization
import SystemClock
import Systemd
import TrackHistory
import UnixSignals

/// The service: locations of the daemon go into the file, and what is too old leaves it.
struct HistoryService {
    /// Seconds between two looks at what is too old.
    private static let pruning = 3600.0
    /// Seconds between two status lines, and between two attempts to write what waits.
    private static let beat = 5.0
    /// Seconds from the request to end, in which the disk may respond: systemd kills the process after five
    /// (`TimeoutStopSec=`).
    private static let endingTime: UInt32 = 4
    private static let (day, mebibyte) = (86_400.0, 1_048_576)

    private let configuration: HistoryConfiguration
    private let file: TrackFile
    private let recording: TrackRecording
    private let notifications: NotificationSocket?
    private let logger: Logger
    /// Wakes ``write()``, which alone waits for the disk.
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    /// - Throws: why the file cannot be used.
    init(
        _ configuration: HistoryConfiguration, _ notifications: NotificationSocket?, _ logger: Logger
    ) throws(TrackFileError) {
        self.configuration = configuration
        (self.notifications, self.logger) = (notifications, logger)
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        file = try TrackFile(at: configuration.track.file)
        recording = try TrackRecording(file, configuration.track.recorder, logger: logger)
    }

    /// Records until there is a signal.
    ///
    /// - Throws: why the file cannot be used any more.
    func run(until signals: UnixSignalsSequence) async throws {
        logger.notice("recording", metadata: ["file": "\(file.path)", "version": "\(Release.version)"])
        notifications?.send(.ready, waits: true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            group.addTask { await record() }
            group.addTask { try await write() }
            group.addTask { await report() }
            group.addTask { try await prune() }
            defer {
                EndingDeadline.start(
                    Self.endingTime, logger: logger,
                    message:
                        "the program ends without having written all of the track, because the disk does not respond",
                    advice: "check the disk of \(file.path)")
                group.cancelAll()
            }
            try await group.next()
        }
        notifications?.send(.stopping, waits: true)
        try await recording.write(isLast: true)
        logger.info("ended")
    }

    private func record() async {
        let configuration = LocationConfiguration(
            socketPath: configuration.service.daemon, purpose: "track history", logger: logger)
        let manager = LocationManager(configuration)
        let (locations, continuation) = AsyncStream.makeStream(of: Location.self)
        manager.addObserver(
            Observer<Location>(requestsUpdates: !self.configuration.track.isPassive) { continuation.yield($0) })
        let failure = Mutex("")
        manager.addObserver(
            Observer<LocationError> { [logger] error in
                // Each attempt to reach the daemon fails in the same way.
                let isNew = failure.withLock { failure in
                    defer { failure = "\(error)" }
                    return failure != "\(error)"
                }
                if isNew { logger.warning("no locations come", metadata: ["reason": "\(error)"]) }
            })
        defer { manager.removeObservers() }
        for await location in locations {
            await recording.record(location)
            ring.yield()
        }
    }

    private func write() async throws { for await _ in bell { try await recording.write() } }

    private func report() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.beat))
            ring.yield()
            await recording.checkDisk()
            notifications?.send(.status(await recording.summary), waits: false)
        }
    }

    private func prune() async throws {
        let retention = configuration.retention
        while !Task.isCancelled {
            let moment = retention.maximumAge.map { MachineClock.utc.advanced(bySeconds: -$0 * Self.day) }
            do throws(TrackFileError) {
                let count = try await file.prune(before: moment, size: retention.maximumSize.map { $0 * Self.mebibyte })
                if count > 0 { logger.info("the oldest of the track is removed", metadata: ["locations": "\(count)"]) }
            } catch {
                guard error.isTemporary else { throw error }
                logger.error("the oldest of the track cannot be removed", metadata: ["reason": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(Self.pruning))
        }
    }
}
