import LocationModel

/// When mistakes of a file of observations are logged: at most once a minute, because whoever writes the file may write as fast as it can.
struct MistakePace: Equatable {
    /// Seconds from one line of the log to the next.
    static let interval = 60.0

    private var last: BootInstant?
    private var count = 0

    /// Counts a mistake.
    ///
    /// - Returns: how many there were since the last that was logged, with this one; `nil` if it is not to be logged.
    mutating func note(at now: BootInstant) -> Int? {
        count += 1
        if let last, now.seconds(since: last) < Self.interval { return nil }
        defer { count = 0 }
        last = now
        return count
    }
}
