/// What the system says of the machine's batteries together.
@_spi(Programs) public enum BatteryReading: Sendable, Hashable {
    /// The charge in percent of what the batteries hold when full, as the system reports it, and whether the machine
    /// draws it.
    case charge(percent: Double, isDischarging: Bool)
    /// The machine has no battery.
    case noBattery
    /// What the system says cannot be, or cannot be read; the reason names it.
    case unusable(reason: String)
}
