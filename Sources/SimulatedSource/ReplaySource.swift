package import LocationModel

/// Plays a recording as if it were happening now, with every location marked as replayed.
///
/// The first entry is told at once and the others in the recording's spacing. A location keeps its timestamp, its
/// receiver and whether it was simulated; it gets this source's name and a new moment of arrival.
package struct ReplaySource: LocationSource {
    package let name: String
    private let path: String
    private let speed: Double
    private let loops: Bool
    private let clocks: SourceClocks

    private static let retryInterval = 30.0  // seconds

    /// - Parameters:
    ///   - name: The source's name in the configuration.
    ///   - path: The recording, a regular file.
    ///   - speed: How many times as fast as it was recorded. Taken to lie within 0.01...1000; not a number is 1.
    ///   - loops: Whether it begins again, one second of the recording's after its end, for ever.
    package init(name: String, path: String, speed: Double = 1, loops: Bool = false, clocks: SourceClocks) {
        self.name = name
        self.path = path
        self.speed = speed
        self.loops = loops
        self.clocks = clocks
    }

    /// Plays; after the end it says so and waits. A file that cannot be read is tried again every 30 s from its
    /// beginning, so that it can be put into place or corrected meanwhile.
    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        var playback = Playback(name: name, speed: speed)
        while !Task.isCancelled {
            do {
                let remark = try await play(&playback, deliver: deliver)
                guard loops else {
                    deliver(.condition(.connected(reason: "the recording \(path) has ended\(remark)")))
                    return await clocks.sleepForEver()
                }
                playback.pace.beginAgain()
            } catch let error as RecordingError {
                deliver(.condition(.unavailable(reason: "the recording \(path) cannot be played: \(error)")))
                do {
                    try await clocks.sleep(until: clocks.now().advanced(bySeconds: Self.retryInterval))
                } catch {
                    return
                }
                playback = Playback(name: name, speed: speed)
            } catch {
                return
            }
        }
    }

    /// Plays once.
    /// - Returns: What there is to remark on the end, to be added to a sentence.
    /// - Throws: ``RecordingError``, or `CancellationError`.
    private func play(
        _ playback: inout Playback, deliver: @Sendable (SourceEvent) -> Void
    ) async throws -> String {
        var reader = try RecordingReader(path: path)
        if !playback.isAnnounced {
            playback.isAnnounced = true
            deliver(.condition(.connected(reason: nil)))
        }
        var isEmpty = true
        while let entry = try reader.next() {
            if case .status = entry.content { continue }
            isEmpty = false
            try await clocks.sleep(until: playback.pace.due(entry.at, now: clocks.now()))
            if let event = playback.event(for: entry.content, now: clocks.now()) { deliver(event) }
        }
        // Playing it in a loop would do nothing, very fast.
        if isEmpty { throw RecordingError.nothingToPlay }
        return reader.isTruncated ? "; its last line is cut off" : ""
    }
}

/// What lasts from one pass through the recording to the next.
private struct Playback {
    var pace: ReplayPace
    var isAnnounced = false
    private let name: String
    /// A recording tells the receiver with locations only: what is told next to them is taken to be of the same one.
    private var device: String?

    init(name: String, speed: Double) {
        self.name = name
        pace = ReplayPace(speed: speed)
    }

    mutating func event(for content: RecordingEntry.Content, now: BootInstant) -> SourceEvent? {
        switch content {
        case .location(var location):
            device = location.source.device
            location.source.name = name
            location.source.isReplayed = true
            location.monotonicTime = now
            location.sequence = 0
            return .fix(location)
        case .satellites(let satellites): return .satellites(satellites, device: device, at: now)
        case .heading(let heading): return .heading(heading, device: device, at: now)
        case .status: return nil
        }
    }
}
