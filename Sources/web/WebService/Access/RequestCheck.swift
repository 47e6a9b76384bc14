/// Decides whether a request comes from our own pages, by what browsers say and pages of others cannot change.
///
/// Names are compared because of DNS rebinding: a page of another site whose name is made to lead here has its own name
/// in `Host`. `Origin` and `Sec-Fetch-Site` are of the page that makes the request.
package struct RequestCheck: Sendable {
    /// The hosts by which the pages may be opened, with their ports, in lower case.
    private let hosts: Set<String>

    /// - Parameters:
    ///   - ports: where the service listens on the loopback addresses.
    ///   - names: further hosts, as of a proxy, with a port if it is not the usual one.
    package init(ports: [Int], names: [String] = []) {
        let loopback = ports.flatMap { port in
            // Browsers leave the usual port out.
            ["127.0.0.1", "localhost", "[::1]"].map { port == 80 ? $0 : "\($0):\(port)" }
        }
        hosts = Set(loopback + names.map { $0.lowercased() })
    }

    /// What a request says of itself; `nil` for a header that it has not, or has twice with different values.
    package struct Origin: Sendable, Hashable {
        package var host: String?
        package var origin: String?
        /// `Sec-Fetch-Site`.
        package var site: String?
        /// `X-Locationd`, which a form of another page cannot send.
        package var mark: String?
        package init() {}
    }

    package enum Purpose: Sendable {
        /// A page that somebody opens.
        case page
        /// Something that our pages load.
        case part
        /// A change.
        case change
    }

    /// - Returns: why it is refused; `nil` if it is not.
    package func refusal(_ request: Origin, for purpose: Purpose) -> String? {
        guard let host = request.host?.lowercased(), hosts.contains(host) else {
            return "this host is not one of the service's; set it as host in web.toml if it is a proxy's"
        }
        if let origin = request.origin, origin != "http://\(host)", origin != "https://\(host)" {
            return "the request comes from another page"
        }
        switch (purpose, request.site) {
        case (.page, _), (_, "same-origin"), (.part, "none"): break
        // Browsers without the header, and other programs.
        case (_, nil): break
        default: return "the request comes from another page"
        }
        guard case .change = purpose else { return nil }
        guard request.mark == "1" else { return "the header X-Locationd is missing" }
        // Every browser sends it with a change.
        return request.origin == nil ? "the header Origin is missing" : nil
    }
}
