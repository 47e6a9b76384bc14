@_spi(Programs) import LocationModel

/// Why a provider gives no positions.
enum ProviderFailure: Error, Equatable {
    /// The socket cannot be connected, for this reason of the system's.
    case unreachable(String)
    /// Nothing is at the path, or nobody listens there.
    case absent
    case noAccess
    /// Another user than the configured one owns the socket.
    case foreign(uid: UInt32)
    /// The provider closed the connection.
    case ended
    case silent
    case errorReply(String)
    /// What it sends is no message of Varlink, or too long.
    case garbage

    /// In words, with what to do.
    func reason(for endpoint: ProviderEndpoint) -> String {
        let path = endpoint.path
        return switch self {
        case .unreachable(let cause): "the provider at \(path) cannot be reached: \(cause)"
        case .absent: "no provider listens at \(path); start it, or check `socket` in locationd.toml"
        case .noAccess: "the daemon has no access to \(path); let its user write to the socket"
        case .foreign(let uid):
            "the provider at \(path) belongs to the user with the number \(uid), which may not give positions; "
                + "check `user` in locationd.toml"
        case .ended: "the provider at \(path) ended the connection; its log may have the cause"
        case .silent: "the provider at \(path) does not answer; its log may have the cause"
        case .errorReply(let name):
            "the provider at \(path) answers with the error \(name.shortened(toBytes: 100).escapingUnprintable())"
        case .garbage:
            "what listens at \(path) does not speak org.locationd.provider; check `socket` in locationd.toml"
        }
    }
}
