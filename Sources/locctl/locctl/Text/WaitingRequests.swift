@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// The requests for authorization that wait for a decision, which administrators alone may count.
enum WaitingRequests {
    /// - Returns: `nil` if the caller is no administrator of the daemon at the other end, or it does not answer.
    static func count(over options: ConnectionOptions) -> Int? {
        // The public socket has no such method; the daemon logs who calls it at the other without the right.
        guard options.path != SocketPath.location || SocketPath.control == options.path else { return nil }
        let list = try? options.connect().call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
        return list?.authorizations.count(where: \.pending)
    }

    /// - Returns: `nil` if none waits.
    static func line(_ count: Int?) -> String? {
        guard let count, count > 0 else { return nil }
        return "\(StatisticsText.count(count, "request")) for authorization \(count == 1 ? "waits" : "wait"); "
            + "`locctl authorizations` lists what waits"
    }
}
