/// A program that receives locations, or has received some in the last 24 hours.
public struct LocationUsage: Sendable, Hashable, Codable {
    /// The number of its user, in an administrator's list of all users; else `nil`.
    public var user: UInt32?
    /// What the program calls itself or is called by the service that serves it, or else its purpose: a claim, with
    /// unprintable characters escaped. `nil` if the program says nothing of itself.
    public var program: String?
    /// The system unit of the service by which it receives them, or `nmea` for the NMEA socket; `nil` without one.
    public var service: String?
    /// Its process, while it receives locations without a service.
    public var pid: Int?
    /// Since when it receives locations; `nil` while it does not.
    public var since: UTCTime?
    /// When it was sent the last location; `nil` if it has yet to be sent the first.
    public var last: UTCTime?
    /// How many locations it was sent in the last 24 hours, counted by the hour.
    public var locations: Int
    /// Since when ``locations`` counts, if that is less than 24 hours.
    public var countedSince: UTCTime?
    /// The best accuracy of what it was sent in the last 24 hours, or may be sent now.
    public var accuracy: AccuracyAuthorization

    /// A program that has received nothing yet, and may know the position as precisely as this.
    public init(accuracy: AccuracyAuthorization) {
        locations = 0
        self.accuracy = accuracy
    }
}
