/// Which fixes of a receiver are believed. A rule whose bound is `nil` is off.
@_spi(Programs) public struct PlausibilitySettings: Sendable, Hashable {
    /// Metres around latitude 0, longitude 0 within which a fix that does not move is not believed.
    @_spi(Programs) public var nullIslandRadius: Double? = 1000
    /// The fastest that a receiver can travel, metres per second. Above 1,000 knots receivers for civil use switch
    /// themselves off.
    @_spi(Programs) public var maximumSpeed: Double? = 515
    /// Seconds by which the receiver's time may go back: a receiver that learns of leap seconds corrects it by up to
    /// 18.
    @_spi(Programs) public var timeTolerance: Double? = 20
    /// Seconds by which the receiver's date may differ from the synchronized clock before it is marked.
    @_spi(Programs) public var dateTolerance: Double? = 86_400
    /// After so many fixes that agree with each other, the receiver's new position or time is believed.
    @_spi(Programs) public var confirmations = 5

    @_spi(Programs) public init() {}
}
