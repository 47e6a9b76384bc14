/// How patient the hub is, and how much it takes. All times in seconds.
package struct HubSettings: Sendable, Hashable {
    /// A fix is fresh for this long, or for three of its receiver's epochs if that is longer.
    package var staleAfter = 3.0
    /// How long the sources run on after the last who needed them left.
    package var linger = 5.0
    /// How often a fix is fetched while nobody asks; `nil` means never.
    package var refreshInterval: Double?
    /// How long those that run may be without a fix before a lower-ranked source is started too; 0 runs all.
    package var failoverDelay = 5.0
    /// How long a higher-ranked source must deliver before it takes over from a lower-ranked one.
    package var failoverHysteresis = 2.0
    /// How long a location of reduced accuracy stands before another is given.
    package var reducedInterval = 600.0
    /// How long a refresh may search.
    package var refreshPatience = 60.0

    /// How long monitors may search for a fix before they give up for a while; the first pause is as long.
    package var searchPatience = 120.0
    /// How long that pause may become.
    package var longestSearchPause = 900.0
    /// How long an event may wait for the state it tells to be kept.
    package var keepingPatience = 2.0
    /// What clients may use together.
    package var limits = ServiceLimits()

    package init() {}
}
