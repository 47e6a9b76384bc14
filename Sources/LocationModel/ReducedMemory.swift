/// What of reduced accuracy outlives the daemon, without a moment on the clock that begins anew at each boot.
package struct ReducedMemory: Sendable, Hashable, Codable {
    /// The size of the grid that the places' answers belong to, metres.
    package var size: Double
    /// Where the drift comes from.
    package var from: DiskPoint
    /// Where it goes.
    package var to: DiskPoint
    /// How much of the drift's way was behind at `savedAt`, 0...1.
    package var progress: Double
    /// When this was written, by the wall clock.
    package var savedAt: UTCTime
    /// The places, the latest first.
    package var places: [ReducedPlace]

    /// The drift now, by either clock. One that was set back since leaves it where it was, one set forward leads at
    /// most to its end.
    func drift(at now: BootInstant, utc: UTCTime) -> OffsetDrift {
        let passed = max(0, utc.seconds(since: savedAt)) / OffsetDrift.duration
        return OffsetDrift(from: from, to: to, progress: progress + passed, at: now)
    }
}

extension ReducedAccuracy {
    /// What was remembered, now that both clocks show the given moments.
    ///
    /// Places of a grid of another size are forgotten; the drift is kept.
    package init(_ memory: ReducedMemory, grid: AccuracyGrid, at now: BootInstant, utc: UTCTime) {
        self.init(
            grid: grid, drift: memory.drift(at: now, utc: utc),
            places: ReducedPlaces(memory.size == grid.size ? memory.places : []))
    }

    /// What to remember, now that both clocks show the given moments.
    package func memory(at now: BootInstant, utc: UTCTime) -> ReducedMemory {
        ReducedMemory(
            size: grid.size, from: drift.from, to: drift.to, progress: drift.progress(at: now), savedAt: utc,
            places: places.list)
    }
}
