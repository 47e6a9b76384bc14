import LocationInterface
import LocationModel

/// What the clients want together.
extension DaemonLink {
    /// What each watch is to ask for; none for a watch that nobody needs.
    func parameters() -> [WatchKind: WatchRequest] {
        var wanted: [WatchKind: WatchRequest] = [:]
        let locations = clients.filter { $0.wish.locations != nil }
        if !locations.isEmpty {
            let filters = locations.compactMap(\.wish.locations)
            var parameters = watch(for: locations)
            parameters.distanceFilter = Self.least(filters.map(\.distance))
            parameters.minimumInterval = Self.least(filters.map(\.interval))
            parameters.requiredAccuracy = Self.weakest(filters.map(\.requiredAccuracy))
            wanted[.locations] = parameters
        }
        let headings = clients.filter { $0.wish.headings }
        if !headings.isEmpty {
            var parameters = watch(for: headings)
            parameters.location = false
            parameters.heading = true
            wanted[.headings] = parameters
        }
        let others = clients.filter { !$0.wish.isEmpty }
        if wanted.isEmpty, !others.isEmpty {
            var parameters = watch(for: others)
            parameters.location = false
            wanted[.status] = parameters
        }
        return wanted
    }

    /// The watch whose status a client is told.
    func primary(of client: LinkedClient) -> WatchKind? {
        if client.wish.locations != nil { return .locations }
        if client.wish.headings { return .headings }
        guard client.wish.status else { return nil }
        return WatchKind.allCases.first { wanted[$0] != nil }
    }

    /// The watches that a client needs.
    func kinds(of client: LinkedClient) -> [WatchKind] {
        guard let primary = primary(of: client) else { return [] }
        return primary == .locations && client.wish.headings ? [primary, .headings] : [primary]
    }

    private func watch(for clients: [LinkedClient]) -> WatchRequest {
        var parameters = WatchRequest()
        parameters.purpose = clients.lazy.compactMap(\.wish.purpose).first.map(Self.shortened)
        return parameters
    }

    /// The daemon takes 256 bytes, and would refuse the others' watch with the one whose purpose is longer.
    private static func shortened(_ purpose: String) -> String {
        var bytes = 0
        return String(
            purpose.prefix { character in
                bytes += character.utf8.count
                return bytes <= 256
            })
    }

    /// `nil` as soon as one lacks it; what the daemon would not accept is left to the client's own filter.
    private static func least(_ limits: [Double?]) -> Double? {
        let limits = acceptable(limits)
        return limits.contains(nil) ? nil : limits.compactMap(\.self).min()
    }

    private static func weakest(_ limits: [Double?]) -> Double? {
        let limits = acceptable(limits)
        return limits.contains(nil) ? nil : limits.compactMap(\.self).max()
    }

    private static func acceptable(_ limits: [Double?]) -> [Double?] {
        limits.map { limit in limit.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } }
    }
}
