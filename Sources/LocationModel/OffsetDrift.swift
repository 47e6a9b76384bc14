/// The machine's secret displacement, which moves slowly so that nobody learns where the grid's lines are.
///
/// It goes straight from one random point of the disk to another in ``duration``, then on to the next.
package struct OffsetDrift: Sendable, Hashable {
    /// Seconds from one point to the next: 30 days.
    package static let duration = 2_592_000.0

    /// Where the way begins.
    package let from: DiskPoint
    /// Where it ends.
    package let to: DiskPoint
    /// When it begins; after a reboot that may be before the clock's zero.
    package let start: BootInstant

    /// A way that has come as far as `progress`, 0...1, by now. Other numbers are clamped, not a number is 0.
    package init(from: DiskPoint, to: DiskPoint, progress: Double = 0, at now: BootInstant) {
        self.from = from
        self.to = to
        let bounded = progress.isNaN ? 0 : max(0, min(1, progress))
        start = now.advanced(bySeconds: -bounded * Self.duration)
    }

    /// A machine's first way, between two random points.
    package static func random(at now: BootInstant, using generator: inout some RandomNumberGenerator) -> OffsetDrift {
        OffsetDrift(from: .random(using: &generator), to: .random(using: &generator), at: now)
    }

    /// How much of the way is behind, 0...1: a clock that jumps leads to one of its ends at most.
    package func progress(at now: BootInstant) -> Double {
        max(0, min(1, now.seconds(since: start) / Self.duration))
    }

    /// The displacement at a moment.
    package func offset(at now: BootInstant) -> DiskPoint {
        from.between(to, at: progress(at: now))
    }

    /// True once the end is reached and ``next(at:using:)`` is due.
    package func isOver(at now: BootInstant) -> Bool { progress(at: now) >= 1 }

    /// The way to another random point, from where this one is now: nothing jumps.
    package func next(at now: BootInstant, using generator: inout some RandomNumberGenerator) -> OffsetDrift {
        OffsetDrift(from: offset(at: now), to: .random(using: &generator), at: now)
    }
}
