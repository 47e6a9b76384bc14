/// Has the receiver's pauses tell little of how far the machine is from a border: whoever sees when the receiver runs, by
/// the processor time of the daemon or by gpsd's connections, could read that distance from an exact pause.
///
/// A pause that a distance allows is replaced by one of few, ``classes``, which are a factor of 4 apart, times a number that
/// is drawn for each fix. Where the classes begin is a secret of this run. So somebody who knows a pause exactly knows the
/// distance to a factor of 8 at best, and no pause is shorter for a distance below some four kilometres than for none. A
/// pause becomes shorter, never longer: no event comes late by this.
package struct PauseBlur: Sendable, Hashable {
    /// Pauses of distances, in parts of the shortest there is, before they are shortened.
    static let classes = [32.0, 8.0, 2.0]

    /// 0.5...1: by how much the classes are shifted.
    private let scale: Double
    /// 0.5...1: how much of its class a pause has.
    private var share: Double

    package init(using generator: inout some RandomNumberGenerator) {
        scale = .random(in: 0.5...1, using: &generator)
        share = .random(in: 0.5...1, using: &generator)
    }

    /// For the pauses after another fix.
    package mutating func draw(using generator: inout some RandomNumberGenerator) {
        share = .random(in: 0.5...1, using: &generator)
    }

    /// - Parameters:
    ///   - pause: seconds that a distance allows.
    ///   - shortest: seconds below which there is no pause.
    /// - Returns: seconds, no more than that; 0 for no pause.
    func blurred(_ pause: Double, shortest: Double) -> Double {
        guard let fit = Self.classes.first(where: { $0 * shortest <= pause * scale }) else { return 0 }
        return fit * shortest * share
    }

    /// A wait that depends on how the machine has moved is shortened by up to a quarter.
    func shortened(_ wait: Double) -> Double { wait * (0.5 + 0.5 * share) }
}
