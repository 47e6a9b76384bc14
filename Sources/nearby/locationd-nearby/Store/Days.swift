import LocationModel

/// Days since 1970-01-01, UTC: what is remembered of when.
enum Days {
    private static let seconds: Int64 = 86_400

    static func number(of time: UTCTime) -> Int { Int(time.seconds / seconds) }

    /// The first moment of a day.
    static func begin(of number: Int) -> UTCTime { UTCTime(seconds: Int64(number) * seconds) }
}
