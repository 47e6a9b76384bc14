@_spi(Programs) package import LocationModel

/// When a destination is sent the next report: at most one at a time, with growing pauses after failures, and none any
/// more once the server has refused. Pure: it knows outcomes and times alone.
package struct DestinationSchedule: Sendable {
    /// What came of a report.
    package enum Outcome: Sendable, Equatable {
        case delivered
        /// The server wants no request for so many seconds.
        case held(seconds: Double, words: String)
        /// The network or the server failed; the same report may be delivered later.
        case failed(words: String)
        /// The server does not accept the report.
        case rejected(words: String)
        /// The server does not accept the token or the password: more attempts could ban this machine's address.
        case refused(words: String)

        /// Why it is not delivered; `nil` if it is.
        package var words: String? {
            switch self {
            case .delivered: nil
            case .held(_, let words), .failed(let words), .rejected(let words), .refused(let words): words
            }
        }
    }

    package enum Step: Sendable, Equatable {
        case send
        /// Ask again after so many seconds.
        case wait(Double)
        /// Nothing is sent until the next input.
        case rest
    }

    /// Attempts after which a server that rejects reports is left alone.
    static let attempts = 3
    /// Seconds: the pause after the first failure, and the longest one, before the random factor from 0.5 to 1.5.
    static let (shortestPause, longestPause) = (1.0, 300.0)
    /// Seconds that a server can make a destination wait, at most and at least.
    static let (longestHold, shortestHold) = (3600.0, 1.0)

    /// Seconds from a delivered report to the next.
    private let pace: Double
    private let jitter: @Sendable () -> Double
    private var failures = 0
    private var rejections = 0
    private var earliest: BootInstant?
    /// Whether what waits is left where it is.
    package var isPaused = false
    /// Why the last report was not delivered; `nil` if it was.
    package private(set) var trouble: String?
    /// Whether nothing is sent until ``resume()``.
    package private(set) var isStopped = false

    /// - Parameters:
    ///   - pace: seconds from a delivered report to the next.
    ///   - jitter: draws 0..<1 for the pauses after failures.
    package init(pace: Double, jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
        (self.pace, self.jitter) = (pace, jitter)
    }

    package mutating func apply(_ outcome: Outcome, at now: BootInstant) {
        trouble = outcome.words
        let pause: Double
        switch outcome {
        case .delivered:
            (failures, rejections) = (0, 0)
            pause = pace
        case .held(let seconds, _): pause = min(max(seconds, Self.shortestHold), Self.longestHold)
        case .failed: pause = pauseAfterFailure()
        case .rejected:
            rejections += 1
            isStopped = rejections >= Self.attempts
            pause = pauseAfterFailure()
        case .refused:
            isStopped = true
            pause = 0
        }
        earliest = now.advanced(bySeconds: pause)
    }

    private mutating func pauseAfterFailure() -> Double {
        failures += 1
        // The exponent is bounded, so that the power is finite.
        let seconds = Self.shortestPause * Double(1 << min(failures - 1, 20))
        return min(seconds, Self.longestPause) * (0.5 + jitter())
    }

    /// Sends nothing until ``resume()``: the server had refused before this program started, and nothing has changed.
    package mutating func stop(_ reason: String) { (trouble, isStopped) = (reason, true) }

    /// The configuration or the credential has changed, or a report was delivered all the same: everything is tried
    /// anew.
    package mutating func resume() {
        (failures, rejections, earliest) = (0, 0, nil)
        (trouble, isStopped) = (nil, false)
    }

    /// What is to be done while something waits.
    package func next(at now: BootInstant) -> Step {
        guard !isStopped, !isPaused else { return .rest }
        guard let earliest, earliest > now else { return .send }
        return .wait(earliest.seconds(since: now))
    }
}
