import LocationModel

extension UTCTime {
    /// This moment to the millisecond if its year has the four digits that RFC 3339 and XML Schema want, 1...9999.
    var writable: UTCTime? {
        let years = Self(year: 1).seconds..<Self(year: 10_000).seconds
        guard years.contains(seconds) else { return nil }
        let rounded = roundedToMilliseconds
        return years.contains(rounded.seconds) ? rounded : nil
    }

    /// The year's first moment.
    private init(year: Int64) {
        self.init(seconds: CivilDate(year: year, month: 1, day: 1).daysSince1970 * 86_400)
    }
}
