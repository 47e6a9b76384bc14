import LocationModel

/// When a service on the network is asked: at most once a minute, and seldom where it refuses or fails.
struct OnlinePace: Sendable, Equatable {
    enum Outcome: Equatable, Sendable {
        /// It has stated a place.
        case answered
        /// It does not know the access points: others may be received soon.
        case unknown
        /// It accepts no request of this administrator.
        case refused
        /// It wants no request for some seconds.
        case held(seconds: Double)
        case failed
    }

    /// Seconds between two requests.
    static let interval = 60.0
    /// Seconds after a service does not know the access points: usually the machine stays among them.
    static let unknownInterval = 600.0
    /// Seconds at most after failures, each of which doubles the time, and after a refusal.
    static let longest = 3600.0

    private var next: BootInstant?
    private var failures = 0

    /// Seconds until the service may be asked.
    func delay(at now: BootInstant) -> Double { max(0, next?.seconds(since: now) ?? 0) }

    /// Takes what came of a request that has just ended.
    mutating func end(_ outcome: Outcome, at now: BootInstant) {
        if outcome != .failed { failures = 0 }
        let pause: Double
        switch outcome {
        case .answered: pause = Self.interval
        case .unknown: pause = Self.unknownInterval
        case .refused: pause = Self.longest
        case .held(let seconds): pause = max(seconds, Self.interval)
        case .failed:
            failures += 1
            // Not beyond what a shift can do.
            pause = min(Self.interval * Double(1 << min(failures - 1, 10)), Self.longest)
        }
        next = now.advanced(bySeconds: pause)
    }
}
