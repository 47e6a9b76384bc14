/// One of several configured sources, and how it stands beside the others.
public struct RankedSource: Sendable, Hashable, Codable {
    /// The name the configuration gives it.
    public var name: String
    /// How far its own way to a fix has come; `stopped` while it is not needed.
    public var state: SourceState
    /// Why it has no fix and what to do, in words.
    public var reason: String?
    /// Seconds since its newest fix reached the daemon; `nil` if it has had none.
    public var fixAge: Double?

    /// A source of which no more is known than its state.
    public init(name: String, state: SourceState, reason: String? = nil, fixAge: Double? = nil) {
        self.name = name
        self.state = state
        self.reason = reason
        self.fixAge = fixAge
    }
}
