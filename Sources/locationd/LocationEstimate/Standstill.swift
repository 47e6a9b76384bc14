import Glibc
@_spi(Programs) import LocationModel

/// Whether the machine stands, by the speed and the spread of its positions, with hysteresis.
struct Standstill {
    /// Metres per second below which it may stand, and above which it does not.
    private static let (slow, moving) = (0.5, 1.0)
    /// Seconds that it has to be slow within ``spread(_:)``.
    private static let delay = 5.0
    /// Seconds over which the distance of measured positions from the held one is averaged.
    private static let memory = 5.0

    private(set) var isStanding = false
    /// Since when it is slow near a position.
    private var quiet: (since: Double, from: Vector2)?
    /// The mean of measured positions, from the held one.
    private var offset = Vector2.zero

    enum Change { case stopped, moves }

    /// Whether a receiver says that the machine moves.
    static func isMoving(_ fix: Location) -> Bool {
        guard let speed = fix.speed else { return false }
        return speed > moving && speed > 2 * (fix.speedAccuracy ?? MeasuredMotion.unknownSpeed)
    }

    /// - Parameters:
    ///   - time: seconds, of one clock.
    ///   - radius: of the measured position's circle, metres.
    mutating func update(
        speed: Double, measured z: Vector2, filtered p: Vector2, radius: Double, time: Double,
        T: Double
    ) -> Change? {
        if isStanding {
            let part = 1 - exp(-T / Self.memory)
            offset += (z - p - offset) * part
            // Slow movement, or a receiver that says no speed.
            guard offset.length > 1.5 * radius + 0.5 else { return nil }
            self = Standstill()
            return .moves
        }
        guard speed < Self.slow else {
            quiet = nil
            return nil
        }
        guard let quiet, (p - quiet.from).length <= Self.spread(radius) else {
            quiet = (time, p)
            return nil
        }
        guard time - quiet.since >= Self.delay else { return nil }
        self = Standstill()
        isStanding = true
        return .stopped
    }

    /// The plane's point has moved.
    mutating func shift(by shift: Vector2) {
        quiet?.from -= shift
    }

    private static func spread(_ radius: Double) -> Double { max(1, radius / 2) }
}
