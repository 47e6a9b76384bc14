/// What a client asks of `GetLocation`: one location.
public struct LocationRequest: ClientRequest {
    /// Maximum age of the location in seconds; `nil` or 0 asks for a new fix.
    public var maximumAge: Double?
    /// Seconds to wait at most, 0...86400; `nil` for ``defaultTimeout``.
    public var timeout: Double?
    /// Metres, more than 0; the horizontal accuracy to wait for.
    public var requiredAccuracy: Double?
    /// Receives locations that other clients' demand produces, and starts no receiver.
    @OffByDefault public var passive
    /// Whether the location is an estimate, as ``WatchRequest/estimate``.
    @OffByDefault public var estimate

    /// How long a request waits unless it says otherwise, seconds.
    public static let defaultTimeout = 30.0
    /// The longest time a request may wait, seconds.
    public static let timeoutLimit = 86_400.0

    /// A request by its members.
    public init(
        maximumAge: Double? = nil, timeout: Double? = nil, requiredAccuracy: Double? = nil, passive: Bool = false,
        estimate: Bool = false
    ) {
        self.maximumAge = maximumAge
        self.timeout = timeout
        self.requiredAccuracy = requiredAccuracy
        self.passive = passive
        self.estimate = estimate
    }

    /// Checks every member.
    ///
    /// - Throws: the first member that the service does not accept.
    public func validate() throws(InvalidField) {
        try InvalidField.checkNotNegative(maximumAge, "maximumAge", "seconds")
        try InvalidField.checkNotNegative(timeout, "timeout", "seconds")
        if let timeout, timeout > Self.timeoutLimit { throw InvalidField("timeout", "at most 86400 seconds") }
        try InvalidField.checkPositive(requiredAccuracy, "requiredAccuracy", "metres")
    }

    /// Whether a location is accurate enough.
    @_spi(Programs) public func accepts(_ location: Location) -> Bool {
        LocationFilter(requiredAccuracy: requiredAccuracy).acceptsAccuracy(of: location)
    }
}
