@_spi(Programs) package import LocationModel
@_spi(Programs) package import SystemSupport

/// A simulated receiver: it drives around and reports at a constant rate, with every fix marked as simulated.
///
/// Fixes follow a schedule counted from the start, so that delays do not accumulate. A moment that was missed, as
/// during suspend, is skipped.
package struct SimulatorSource: LocationSource {
    package let name: String
    private let drive: SimulatedDrive
    private let rate: Double
    private let hasCompass: Bool
    private let clock: ServiceClock

    /// - Parameters:
    ///   - name: The source's name in the configuration.
    ///   - drive: The vehicle it reports.
    ///   - rate: Fixes per second, clamped to 1...20; NaN is 1.
    ///   - hasCompass: Whether headings are reported, too.
    package init(
        name: String, drive: SimulatedDrive, rate: Double = 1, hasCompass: Bool = true, clock: ServiceClock
    ) {
        self.name = name
        self.drive = drive
        self.rate = rate.isNaN ? 1 : max(1, min(20, rate))
        self.hasCompass = hasCompass
        self.clock = clock
    }

    /// Delivers fixes at the rate; satellites and the heading with the first fix of each second.
    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        deliver(.condition(.connected(reason: nil)))
        let start = clock.now()
        var tick = 0.0
        var lastSecond = -1.0
        while !Task.isCancelled {
            let elapsed = tick / rate
            let due = start.advanced(bySeconds: elapsed)
            let now = clock.now()
            let time = timestamp(of: due, now: now)
            deliver(.fix(fix(at: elapsed, timestamp: time, now: now)))
            if elapsed.rounded(.down) > lastSecond {
                lastSecond = elapsed.rounded(.down)
                deliver(.satellites(drive.satellites(at: elapsed), device: nil, at: now))
                if hasCompass {
                    var heading = drive.heading(at: elapsed)
                    heading.timestamp = time
                    deliver(.heading(heading, device: nil, at: now))
                }
            }
            tick += 1
            do {
                try await clock.sleep(until: start.advanced(bySeconds: tick / rate))
            } catch {
                return
            }
            tick = max(tick, (clock.now().seconds(since: start) * rate).rounded(.down))
        }
    }

    private func fix(at elapsed: Double, timestamp: UTCTime, now: BootInstant) -> Location {
        var location = drive.location(
            at: elapsed, monotonicTime: now, source: SourceInformation(name: name, method: .simulated))
        location.timestamp = timestamp
        return location
    }

    /// The wall clock at the moment the fix was due: a receiver stamps the epoch, not the moment of transmission.
    private func timestamp(of due: BootInstant, now: BootInstant) -> UTCTime {
        let (utc, late) = (clock.utc(), now.nanoseconds.subtractingReportingOverflow(due.nanoseconds).partialValue)
        return UTCTime(seconds: utc.seconds, nanoseconds: Int64(utc.nanoseconds) - max(0, min(late, 1_000_000_000)))
    }
}
