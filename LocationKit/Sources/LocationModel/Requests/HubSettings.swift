/// The hub's time-outs and limits. All times in seconds.
@_spi(Programs) public struct HubSettings: Sendable, Hashable {
    /// A fix is fresh for this long, or for three of its receiver's epochs if that is longer.
    @_spi(Programs) public var staleAfter = 3.0
    /// How long the sources run on after the last demand has ended.
    @_spi(Programs) public var linger = 5.0
    /// How often a fix is fetched without demand; `nil` means never.
    @_spi(Programs) public var refreshInterval: Double?
    /// How long the running sources may be without a fix before a lower-ranked source is started too; 0 runs all.
    @_spi(Programs) public var failoverDelay = 5.0
    /// How long a higher-ranked source must deliver before it takes over from a lower-ranked one.
    @_spi(Programs) public var failoverHysteresis = 2.0
    /// The least time between two locations of reduced accuracy.
    @_spi(Programs) public var reducedInterval = 600.0
    /// How long a refresh may search.
    @_spi(Programs) public var refreshTimeout = 60.0

    /// How often the receivers are started for a watch that is paused, to see whether the machine moves.
    @_spi(Programs) public var pauseInterval = 300.0
    /// How long monitors may search for a fix before they pause; the first pause is as long.
    @_spi(Programs) public var searchTimeout = 120.0
    /// How long that pause may become.
    @_spi(Programs) public var longestSearchPause = 900.0
    /// How long an event may wait for its state to be persisted.
    @_spi(Programs) public var persistenceTimeout = 2.0
    /// Which fixes are believed.
    @_spi(Programs) public var plausibility = PlausibilitySettings()
    /// The charge, percent, below which the sources stop while the battery discharges; `nil` means that they never do.
    @_spi(Programs) public var minimumBattery: Int?
    /// The limits of the clients.
    @_spi(Programs) public var limits = ServiceLimits()

    @_spi(Programs) public init() {}
}
