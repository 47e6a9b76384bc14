import LocationModel

/// The latest sky view and errors of one receiver, for the fixes that follow. SKY has no time of its own in most logs, so
/// it is paired with fixes by device and order of arrival, and discarded when it is too old.
struct DeviceState {
    /// Seconds after which a view of the sky no longer belongs to a fix.
    static let skyLifetime = 10.0
    /// Seconds from an error report to the fix that it is still of, by the receiver's clock: gpsd sends the report of an
    /// epoch before or after its fix.
    static let errorLifetime = 1.05

    private var sky = SkyReport()
    private var skyTime: BootInstant?
    private var satellitesUsed: Int?
    private var satellitesTime: BootInstant?
    private var errors: ErrorReport?
    private var errorsTime: BootInstant?
    /// The dilution before the latest: a fix may come after the next epoch's view of the sky.
    private var formerHDOP: Double?

    mutating func applySky(_ report: SkyReport, at now: BootInstant) {
        formerHDOP = sky.hdop
        sky = report
        skyTime = now
        // A report of dilutions alone says nothing about satellites: the known ones stay, and age.
        guard report.counts != nil || report.satellitesUsed != nil else { return }
        satellitesUsed = report.satellitesUsed
        satellitesTime = now
    }

    mutating func applyErrors(_ report: ErrorReport, at now: BootInstant) {
        errors = report
        errorsTime = now
    }

    func complete(_ location: inout Location, at now: BootInstant) {
        if let ellipse = ellipse(for: location, at: now) { location.errorEllipse = ellipse }
        if let satellitesTime, now.seconds(since: satellitesTime) < Self.skyLifetime {
            location.satellitesUsed = satellitesUsed
        }
        guard let skyTime, now.seconds(since: skyTime) < Self.skyLifetime else { return }
        location.hdop = sky.hdop.flatMap(Self.plausible)
        location.vdop = sky.vdop.flatMap(Self.plausible)
        location.pdop = sky.pdop.flatMap(Self.plausible)
        location.accuracyBasis = basis(of: location)
    }

    private func ellipse(for location: Location, at now: BootInstant) -> ErrorEllipse? {
        guard let errors, let errorsTime else { return nil }
        let age =
            if let time = errors.time, let fixTime = location.timestamp { fixTime.seconds(since: time) } else {
                now.seconds(since: errorsTime)
            }
        return abs(age) <= Self.errorLifetime ? errors.ellipse : nil
    }

    /// What gpsd multiplies the horizontal dilution by for a receiver that states no accuracy, metres: without and with
    /// differential corrections (gpsd_error_model in gpsd's libgpsd_core.c).
    private static let rangeErrors = [15.0, 3.75]

    /// gpsd does not say whether it has computed the accuracy; this recognizes its product to the decimals that it sends,
    /// two of the dilution and three of the accuracy. It is `nil` without a dilution.
    private func basis(of location: Location) -> AccuracyBasis? {
        guard let accuracy = location.horizontalAccuracy else { return nil }
        let dilutions = [sky.hdop, formerHDOP].compactMap(\.self)
        guard !dilutions.isEmpty else { return nil }
        let isProduct = dilutions.contains { dilution in
            Self.rangeErrors.contains { abs(accuracy - dilution * $0) <= 0.005 * $0 + 0.0005 }
        }
        return isProduct ? .fromDOP : .stated
    }

    /// Dilutions are not negative; receivers send 99.99 for "none", which is kept.
    private static func plausible(_ dop: Double) -> Double? {
        dop >= 0 ? dop : nil
    }
}
