public import Logging

/// How a ``LocationManager`` is set up.
public struct LocationConfiguration: Sendable {
    /// The daemon's socket; `nil` for `LOCATIOND_SOCKET` or the usual one.
    public var socketPath: String?
    /// What the locations are for, at most 256 bytes; shown to the administrator.
    public var purpose: String?
    /// Where handlers run whose observer says nothing else, and completions.
    public var delivery: Delivery
    /// Updating stops after so many failures in a row; 3 is a usual value. `nil` never stops.
    public var errorLimit: Int?
    /// Seconds after which a location is asked for if none has come meanwhile, for as long as there is an observer of
    /// locations or a loop over them; 300 is a usual value. `nil` never asks.
    public var refreshInterval: Double?
    /// Receives what the manager does, at `debug` and `info`.
    public var logger: Logger

    /// Everything as usual: no purpose, no limit, no refreshing, nothing logged.
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
