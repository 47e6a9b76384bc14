/// Where a location comes from.
public struct SourceInformation: Sendable, Hashable, Codable {
    /// The source's name in the configuration, such as `gpsd`, `simulator` or `static`.
    public var name: String
    /// The receiver's device path as gpsd names it, when the source has devices.
    public var device: String?
    /// True if software invented the location.
    public var isSimulated: Bool
    /// True if the location is played back from a recording.
    public var isReplayed: Bool

    /// A source that really measures unless said otherwise.
    public init(name: String, device: String? = nil, isSimulated: Bool = false, isReplayed: Bool = false) {
        self.name = name
        self.device = device
        self.isSimulated = isSimulated
        self.isReplayed = isReplayed
    }
}
