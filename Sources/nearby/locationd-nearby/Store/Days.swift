import LocationModel

/// Days since 1970-01-01, UTC: what is remembered of when.
enum Days {
    private static let seconds: Int64 = 86_400
    /// To the end of the year 9999, as far as moments can be written.
    static let possible = 0...2_932_896

    /// The nearest day that is possible.
    static func number(of time: UTCTime) -> Int {
        min(max(Int(time.seconds / seconds), possible.lowerBound), possible.upperBound)
    }

    /// The first moment of a day.
    static func begin(of number: Int) -> UTCTime { UTCTime(seconds: Int64(number) * seconds) }
}
