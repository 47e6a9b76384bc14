package import LocationModel

/// A receiver that software invents: it drives around and tells, at a steady rate, with every fix marked as simulated.
///
/// Fixes fall on a schedule counted from the start, so that lateness does not add up. A moment that was missed, as
/// while the machine slept, is left out and never made up for.
package struct SimulatorSource: LocationSource {
    package let name: String
    private let drive: SimulatedDrive
    private let rate: Double
    private let hasCompass: Bool
    private let clocks: SourceClocks

    /// - Parameters:
    ///   - name: The source's name in the configuration.
    ///   - drive: What it tells of.
    ///   - rate: Fixes per second. Taken to lie within 1...20; not a number is 1.
    ///   - hasCompass: Whether headings are told, too.
    package init(
        name: String, drive: SimulatedDrive, rate: Double = 1, hasCompass: Bool = true, clocks: SourceClocks
    ) {
        self.name = name
        self.drive = drive
        self.rate = rate.isNaN ? 1 : max(1, min(20, rate))
        self.hasCompass = hasCompass
        self.clocks = clocks
    }

    /// Fixes at the rate; the sky and the heading with the first fix of each second.
    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        deliver(.condition(.connected(reason: nil)))
        let start = clocks.now()
        var tick = 0.0
        var toldSecond = -1.0
        while !Task.isCancelled {
            let elapsed = tick / rate
            let due = start.advanced(bySeconds: elapsed)
            let now = clocks.now()
            let time = timestamp(of: due, now: now)
            deliver(.fix(fix(at: elapsed, timestamp: time, now: now)))
            if elapsed.rounded(.down) > toldSecond {
                toldSecond = elapsed.rounded(.down)
                deliver(.satellites(drive.satellites(at: elapsed), device: nil, at: now))
                if hasCompass {
                    var heading = drive.heading(at: elapsed)
                    heading.timestamp = time
                    deliver(.heading(heading, device: nil, at: now))
                }
            }
            tick += 1
            do {
                try await clocks.sleep(until: start.advanced(bySeconds: tick / rate))
            } catch {
                return
            }
            tick = max(tick, (clocks.now().seconds(since: start) * rate).rounded(.down))
        }
    }

    private func fix(at elapsed: Double, timestamp: UTCTime, now: BootInstant) -> Location {
        var location = drive.location(
            at: elapsed, monotonicTime: now, source: SourceInformation(name: name, isSimulated: true))
        location.timestamp = timestamp
        return location
    }

    /// The wall clock as it was when the fix was due: a receiver stamps the epoch, not the moment it gets to speak.
    private func timestamp(of due: BootInstant, now: BootInstant) -> UTCTime {
        let (utc, late) = (clocks.utc(), now.nanoseconds.subtractingReportingOverflow(due.nanoseconds).partialValue)
        return UTCTime(seconds: utc.seconds, nanoseconds: Int64(utc.nanoseconds) - max(0, min(late, 1_000_000_000)))
    }
}
