import Glibc

/// A value that wanders slowly and smoothly within -1...1: a function of time alone, so any moment can be asked for.
///
/// Three sines whose periods, tens of seconds to minutes, have no common multiple in sight.
struct Wander: Sendable {
    private let phases: SIMD3<Double>

    init(using generator: inout SeededGenerator) {
        let turn = 0...2 * Double.pi
        phases = SIMD3(generator.number(in: turn), generator.number(in: turn), generator.number(in: turn))
    }

    /// The value at so many seconds.
    func value(at seconds: Double) -> Double {
        (sin(seconds / 6.1 + phases.x) + sin(seconds / 23.7 + phases.y) + sin(seconds / 89.3 + phases.z)) / 3
    }
}
