import Glibc

/// The turn and the acceleration of the last moments, for what is predicted.
struct Manoeuvre {
    /// Seconds over which both are averaged, and with which they die out in a prediction: a bend or a braking lasts
    /// some seconds.
    private static let (memory, decay) = (0.5, 2.0)
    /// The most that wheels do, metres per second squared, along and across.
    private static let limit = 5.0
    /// Metres per second below which a direction says nothing.
    private static let slow = 1.0
    /// Seconds.
    private static let step = 0.25

    /// Radians per second clockwise, and metres per second squared.
    private var (turn, acceleration) = (0.0, 0.0)
    private var last: Vector2?

    mutating func reset() { self = Manoeuvre() }

    mutating func observe(_ v: Vector2, after T: Double) {
        defer { last = v }
        guard let last, T > 0 else { return }
        let part = 1 - exp(-T / Self.memory)
        let (before, now) = (last.length, v.length)
        acceleration += (Self.limited((now - before) / T, Self.limit) - acceleration) * part
        let isDirected = before > Self.slow && now > Self.slow
        let angle = isDirected ? remainder(atan2(v.x, v.y) - atan2(last.x, last.y), 2 * .pi) : 0
        let rate = Self.limited(angle / T, Self.limit / max(now, Self.slow))
        turn += (rate - turn) * part
    }

    /// Where and how fast the machine is after so many seconds.
    func continued(from p: Vector2, _ v: Vector2, for T: Double) -> (p: Vector2, v: Vector2) {
        let (start, course) = (v.length, atan2(v.x, v.y))
        func velocity(_ t: Double) -> Vector2 {
            let part = Self.decay * (1 - exp(-t / Self.decay))
            let (speed, direction) = (max(0, start + acceleration * part), course + turn * part)
            return Vector2(sin(direction), cos(direction)) * speed
        }
        let count = max(1, (T / Self.step).rounded(.up))
        let step = T / count
        var end = p
        for index in 0..<Int(count) { end += velocity((Double(index) + 0.5) * step) * step }
        return (end, velocity(T))
    }

    private static func limited(_ value: Double, _ limit: Double) -> Double { min(limit, max(-limit, value)) }
}
