@_spi(Programs) import LocationModel

/// The latest sky view and errors of one receiver, for the fixes that follow. SKY has no time of its own in most logs,
/// so it is paired with fixes by device and order of arrival, and discarded when it is too old.
struct DeviceState {
    /// Seconds after which a view of the sky no longer belongs to a fix.
    static let skyLifetime = 10.0
    /// Seconds from an error report to the fix that it is still of, by the receiver's clock: gpsd sends the report of
    /// an epoch before or after its fix.
    static let errorLifetime = 1.05

    private var sky = SkyReport()
    private var skyTime: BootInstant?
    private var satellitesUsed: Int?
    private var satellitesTime: BootInstant?
    private var errors: ErrorReport?
    private var errorsTime: BootInstant?
    /// The dilution before the latest: a fix may come after the next epoch's view of the sky.
    private var formerHDOP: Double?
    private var origin = AccuracyOrigin()

    mutating func applySky(_ report: SkyReport, at now: BootInstant) {
        formerHDOP = sky.hdop
        sky = report
        skyTime = now
        if let hdop = report.hdop { origin.applyDilution(hdop) }
        // A report of dilutions alone says nothing about satellites: the known ones stay, and age.
        guard report.counts != nil || report.satellitesUsed != nil else { return }
        satellitesUsed = report.satellitesUsed
        satellitesTime = now
    }

    mutating func applyErrors(_ report: ErrorReport, at now: BootInstant) {
        errors = report
        errorsTime = now
    }

    /// Adds to a fix what belongs to it.
    /// - Parameter others: the fix's errors that a location does not have.
    mutating func complete(
        _ location: inout Location, errors others: AccuracyOrigin.OtherErrors = .init(), at now: BootInstant
    ) {
        if let ellipse = ellipse(for: location, at: now) { location.errorEllipse = ellipse }
        if let satellitesTime, now.seconds(since: satellitesTime) < Self.skyLifetime {
            location.satellitesUsed = satellitesUsed
        }
        guard let skyTime, now.seconds(since: skyTime) < Self.skyLifetime else { return }
        location.hdop = sky.hdop.flatMap(Self.plausible)
        location.vdop = sky.vdop.flatMap(Self.plausible)
        location.pdop = sky.pdop.flatMap(Self.plausible)
        if let accuracy = location.horizontalAccuracy {
            location.accuracyBasis = origin.basis(
                of: accuracy, beside: others, isCorrected: location.augmentation == .dgps,
                dilutions: [sky.hdop, formerHDOP].compactMap(\.self))
        }
    }

    private func ellipse(for location: Location, at now: BootInstant) -> ErrorEllipse? {
        guard let errors, let errorsTime else { return nil }
        let age =
            if let time = errors.time, let fixTime = location.timestamp { fixTime.seconds(since: time) } else {
                now.seconds(since: errorsTime)
            }
        return abs(age) <= Self.errorLifetime ? errors.ellipse : nil
    }

    /// Dilutions are not negative; receivers send 99.99 for "none", which is kept.
    private static func plausible(_ dop: Double) -> Double? {
        dop >= 0 ? dop : nil
    }
}
