import LocationModel

/// What one receiver said last about its sky, for the fixes that follow. SKY has no time of its own in most logs, so
/// it is paired with fixes by device and order of arrival, and forgotten when it grows old.
struct DeviceState {
    /// Seconds after which a view of the sky no longer belongs to a fix.
    static let skyLifetime = 10.0

    private var sky = SkyReport()
    private var skyTime: BootInstant?
    private var satellitesUsed: Int?
    private var satellitesTime: BootInstant?

    mutating func take(_ report: SkyReport, at now: BootInstant) {
        sky = report
        skyTime = now
        // A report of dilutions alone says nothing about satellites: what was known of them stays, and ages.
        guard report.satellites != nil || report.satellitesUsed != nil else { return }
        satellitesUsed = report.satellitesUsed
        satellitesTime = now
    }

    func complete(_ location: inout Location, at now: BootInstant) {
        if let satellitesTime, now.seconds(since: satellitesTime) < Self.skyLifetime {
            location.satellitesUsed = satellitesUsed
        }
        guard let skyTime, now.seconds(since: skyTime) < Self.skyLifetime else { return }
        location.hdop = sky.hdop.flatMap(Self.plausible)
        location.vdop = sky.vdop.flatMap(Self.plausible)
        location.pdop = sky.pdop.flatMap(Self.plausible)
    }

    /// Dilutions are not negative; receivers say 99.99 for "none", which is their number and stays.
    private static func plausible(_ dop: Double) -> Double? {
        dop >= 0 ? dop : nil
    }
}
