/// Randomizes the receiver's pauses, so that they reveal little of how far the machine is from a border: an observer
/// who sees when the receiver runs, from the daemon's processor time or gpsd's connections, could compute that distance
/// from an exact pause.
///
/// A pause that a distance allows is replaced by one of a few ``classes``, which are a factor of 4 apart, times a
/// number that is drawn for each fix. The boundaries of the classes are a secret of this run. So an observer who knows
/// a pause exactly knows the distance to a factor of 8 at best; distances below some four kilometres allow no pause and
/// cannot be told apart. A pause becomes shorter, never longer, so no event is late because of this.
@_spi(Programs) public struct PauseBlur: Sendable, Hashable {
    /// The pauses, as multiples of the shortest pause, before they are shortened.
    static let classes = [32.0, 8.0, 2.0]

    /// 0.5...1: the factor by which the classes are shifted.
    private let scale: Double
    /// 0.5...1: the fraction of its class that a pause lasts.
    private var share: Double

    @_spi(Programs) public init(using generator: inout some RandomNumberGenerator) {
        scale = .random(in: 0.5...1, using: &generator)
        share = .random(in: 0.5...1, using: &generator)
    }

    /// Draws the fraction for the pauses after another fix.
    @_spi(Programs) public mutating func draw(using generator: inout some RandomNumberGenerator) {
        share = .random(in: 0.5...1, using: &generator)
    }

    /// - Parameters:
    ///   - pause: seconds that a distance allows.
    ///   - shortest: seconds below which there is no pause.
    /// - Returns: the pause in seconds, never longer than `pause`; 0 for no pause.
    func blurred(_ pause: Double, shortest: Double) -> Double {
        guard let fit = Self.classes.first(where: { $0 * shortest <= pause * scale }) else { return 0 }
        return fit * shortest * share
    }

    /// Shortens a wait that depends on the machine's movement by up to a quarter.
    func shortened(_ wait: Double) -> Double { wait * (0.5 + 0.5 * share) }
}
