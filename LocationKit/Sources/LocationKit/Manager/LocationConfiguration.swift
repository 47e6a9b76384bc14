public import Logging

/// The configuration of a ``LocationManager``.
public struct LocationConfiguration: Sendable {
    /// The daemon's socket; `nil` for `LOCATIOND_SOCKET` or the default socket.
    public var socketPath: String?
    /// What the locations are for, at most 256 bytes; shown to the administrator.
    public var purpose: String?
    /// Where completions run, and the handlers of observers that name no delivery of their own.
    public var delivery: Delivery
    /// Updating stops after so many failures in a row, without a location between them; 3 is a usual value. `nil` never
    /// stops.
    ///
    /// An outage that lasts is a failure when it begins and every ten seconds after that, so that 3 is reached after 20
    /// s, whether a receiver or the service itself cannot be reached. A refusal is one failure.
    public var errorLimit: Int?
    /// Requests a location after so many seconds without one, while there is an observer of locations or a loop over
    /// them; 300 is a usual value. `nil` never requests.
    public var refreshInterval: Double?
    /// Receives log messages at `debug` and `info`.
    public var logger: Logger

    /// The defaults: no purpose, no limit, no refreshing, no log.
    public init(
        socketPath: String? = nil, purpose: String? = nil, delivery: Delivery = .immediate, errorLimit: Int? = nil,
        refreshInterval: Double? = nil,
        logger: Logger = Logger(label: "org.locationd.LocationKit") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.socketPath = socketPath
        self.purpose = purpose
        self.delivery = delivery
        self.errorLimit = errorLimit
        self.refreshInterval = refreshInterval
        self.logger = logger
    }
}
