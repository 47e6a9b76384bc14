@_spi(Programs) import LocationModel
import Logging
import ServiceKit
@_spi(Programs) import SystemSupport
import TrackHistory

/// Records locations: what they change in the track is written at once, or as soon as the disk allows it.
actor TrackRecording {
    /// Changes that wait for the disk, at most: several hours of locations. Later ones are counted and not recorded.
    private static let waitingLimit = 50_000
    /// Seconds to the next attempt after the disk has failed.
    private static let pause = 5.0
    /// Seconds after which a disk that has not responded has failed.
    private static let patience = 10.0

    /// Whether recording is paused, at first and after each change.
    nonisolated let pauses: AsyncStream<Bool>
    /// Metres.
    nonisolated let maximumError: Double
    private let file: TrackFile
    private let logger: Logger
    private let reportPause: AsyncStream<Bool>.Continuation
    private var recorder: TrackRecorder
    private var waiting: [TrackChange] = []
    /// How many of them are being written.
    private var underWay = 0
    /// When their writing began.
    private var begin = BootInstant(nanoseconds: 0)
    private var nextAttempt = BootInstant(nanoseconds: 0)
    private var isFailing = false
    private var isPaused: Bool
    private(set) var last: Location?
    /// Why no locations come; `nil` if nothing is known of that.
    private var outage: String?
    private var figures = HistoryFigures()

    init(_ file: TrackFile, _ settings: TrackRecorder.Settings, logger: Logger) throws(TrackFileError) {
        self.file = file
        self.logger = logger
        maximumError = settings.thinning.maximumError
        recorder = TrackRecorder(settings, after: try file.memory())
        isPaused = try file.reader.pausedSince() != nil
        (pauses, reportPause) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        reportPause.yield(isPaused)
    }

    /// Records nothing from now on.
    ///
    /// - Throws: why the file cannot keep it: a restart would record again.
    func pause() async throws(TrackFileError) {
        if !isPaused {
            isPaused = true
            reportPause.yield(true)
            waiting += recorder.interrupt()
            logger.notice("recording is paused")
        }
        try await file.setPaused(since: MachineClock.utc)
        try await write(isLast: true)
    }

    /// Records again.
    ///
    /// - Throws: why the file cannot keep it; then recording stays paused.
    func resume() async throws(TrackFileError) {
        guard isPaused else { return }
        try await file.setPaused(since: nil)
        isPaused = false
        reportPause.yield(false)
        logger.notice("recording goes on")
    }

    /// Adds a location, which the next ``write(isLast:)`` writes.
    func record(_ location: Location) {
        guard !isPaused else { return }
        outage = nil
        guard waiting.count < Self.waitingLimit else {
            figures.lost += 1
            return
        }
        last = location
        for change in recorder.add(location, at: MachineClock.utc) {
            // What is not yet written need not be written to be removed again.
            if change == .removePrevious, waiting.count > underWay, case .add = waiting.last {
                waiting.removeLast()
            } else {
                waiting.append(change)
            }
        }
    }

    /// - Parameter reason: why no locations come; `nil` if they may come again.
    func setOutage(_ reason: String?) { outage = reason }

    /// Writes what waits, if it is not being written already and the disk has not just failed.
    ///
    /// - Parameter isLast: whether it is tried although the disk has just failed.
    /// - Throws: why the file cannot be used any more.
    func write(isLast: Bool = false) async throws(TrackFileError) {
        guard underWay == 0, !waiting.isEmpty, isLast || MachineClock.now >= nextAttempt else { return }
        let (changes, visit) = (waiting, recorder.visitMemory)
        (underWay, begin) = (changes.count, MachineClock.now)
        defer { underWay = 0 }
        do throws(TrackFileError) {
            try await file.write(changes, visit: visit)
            waiting.removeFirst(changes.count)
            figures.written += changes.count { if case .add = $0 { true } else { false } }
            logger.debug("locations are in the track", metadata: ["changes": "\(Self.times(of: changes))"])
            if isFailing { logger.notice("the track is recorded again", metadata: ["lost": "\(figures.lost)"]) }
            isFailing = false
        } catch {
            guard error.isTemporary else { throw error }
            reportFailure("\(error)")
            nextAttempt = MachineClock.now.advanced(bySeconds: Self.pause)
        }
    }

    /// Why nothing is recorded, in words; `nil` if nothing hinders it.
    var obstacle: String? {
        if isPaused { return "recording is paused" }
        if isFailing { return "the disk fails; \(waiting.count) changes wait" }
        if let outage { return outage }
        guard last == nil else { return nil }
        return recorder.simulated > 0 ? "only simulated locations come" : "no location yet"
    }

    func addPruned(_ count: Int) { figures.pruned += count }

    var currentFigures: HistoryFigures {
        var current = figures
        current.waiting = waiting.count
        current.lastLocationAge = last?.age(at: MachineClock.now)
        return current
    }

    /// Says so if the disk has not responded for a while.
    func checkDisk() {
        guard underWay > 0, MachineClock.now.seconds(since: begin) > Self.patience else { return }
        reportFailure("\(file.path): the disk does not respond; see `dmesg`")
    }

    private func reportFailure(_ reason: String) {
        if !isFailing { logger.error("the track cannot be written now", metadata: ["reason": "\(reason)"]) }
        isFailing = true
    }

    /// What happens to the points, without where they are: `+` and its moment for one that is added, `-` where the
    /// newest one is left out again.
    private static func times(of changes: [TrackChange]) -> String {
        changes.compactMap { change in
            switch change {
            case .add(let point): "+\(point.time)"
            case .removePrevious: "-"
            default: nil
            }
        }.joined(separator: " ")
    }

    /// The state, for `systemctl status` and `locctl diagnose`.
    var state: Notification {
        .status(summary, isDegraded: !isPaused && (isFailing || outage != nil))
    }

    private var summary: String {
        if let obstacle { return obstacle }
        guard let last else { return "no location yet" }
        let age = Int(last.age(at: MachineClock.now))
        return "recording; the last location is \(age) s old"
    }
}
