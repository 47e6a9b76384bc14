/// Whether the service can be heard.
public enum ConnectionState: Sendable, Hashable {
    /// The service answers.
    case connected
    /// It does not; the manager tries again until nothing is asked for.
    case disconnected(LocationError)
}
