/// One method of the daemon: by whom it may be called, beside those whom its interface is for.
///
/// ``LocationInterface/methods`` and ``AdminInterface/methods`` have a row for each method. The server, the pages and
/// the tests read them.
@_spi(Programs) public struct MethodRow: Sendable, Hashable {
    /// The method with its interface.
    @_spi(Programs) public let name: String
    /// What polkit is asked about a caller who is no administrator, so that the socket for everyone serves the method,
    /// too; `nil` if polkit is not asked.
    @_spi(Programs) public let gate: AdminInterface.Gate?
    /// Whether the pages pass the method on, for their user or an administrator.
    @_spi(Programs) public let isForPages: Bool

    init(_ name: String, gate: AdminInterface.Gate? = nil, isForPages: Bool = false) {
        (self.name, self.gate, self.isForPages) = (name, gate, isForPages)
    }
}

extension LocationInterface {
    @_spi(Programs) public static let methods: [MethodRow] = [
        MethodRow(Method.getStatus, isForPages: true),
        MethodRow(Method.getLocation, isForPages: true),
        MethodRow(Method.watch),
        MethodRow(Method.requestAuthorization, isForPages: true),
        MethodRow(Method.monitor),
        MethodRow(Method.changeRegions),
        MethodRow(Method.listMonitors),
        MethodRow(Method.removeMonitor),
        MethodRow(Method.listReceivers),
        MethodRow(Method.watchRequests, isForPages: true),
        MethodRow(Method.watchUsage, isForPages: true),
        MethodRow(Method.decide, isForPages: true),
    ]
}

extension AdminInterface {
    /// What a caller has to be allowed, by polkit, for a method that the socket for everyone serves too.
    @_spi(Programs) public enum Gate: Sendable, Hashable {
        /// Decisions about who may know the position.
        case decide
        /// Whether the service runs, and which sources it uses.
        case administer
    }

    @_spi(Programs) public static let methods: [MethodRow] = [
        MethodRow(Method.start, gate: .administer, isForPages: true),
        MethodRow(Method.stop, gate: .administer, isForPages: true),
        MethodRow(Method.setSource, gate: .administer, isForPages: true),
        MethodRow(Method.suspend),
        MethodRow(Method.resume),
        MethodRow(Method.listClients, isForPages: true),
        MethodRow(Method.disconnect, isForPages: true),
        MethodRow(Method.reload, isForPages: true),
        MethodRow(Method.setLogLevel),
        MethodRow(Method.getStatistics, isForPages: true),
        MethodRow(Method.getMetrics),
        MethodRow(Method.simulate),
        MethodRow(Method.listAuthorizations, gate: .decide, isForPages: true),
        MethodRow(Method.setAuthorization, gate: .decide, isForPages: true),
        MethodRow(Method.resetAuthorization, gate: .decide, isForPages: true),
        MethodRow(Method.getHistory, isForPages: true),
        MethodRow(Method.listMonitors),
        MethodRow(Method.forgetMonitors),
        MethodRow(Method.createToken),
        MethodRow(Method.revokeToken),
    ]

    private static let gates = methods.reduce(into: [String: Gate]()) { $0[$1.name] = $1.gate }

    /// - Returns: `nil` if only the control socket serves the method.
    @_spi(Programs) public static func gate(of method: String) -> Gate? { gates[method] }
}
