import LocationModel

/// What one receiver said last about its sky, for the fixes that follow. SKY has no time of its own in most logs, so
/// it is paired with fixes by device and order of arrival, and forgotten when it grows old.
struct DeviceState {
    /// Seconds after which a view of the sky no longer belongs to a fix.
    static let skyLifetime = 10.0

    private var sky = SkyReport()
    private var skyTime: BootInstant?

    mutating func take(_ report: SkyReport, at now: BootInstant) {
        // The reports of one epoch complete each other; what one lacks, the one before may have said.
        if let skyTime, now.seconds(since: skyTime) >= Self.skyLifetime { sky = SkyReport() }
        let former = sky
        sky = report
        if report.satellites == nil {
            sky.satellitesUsed = report.satellitesUsed ?? former.satellitesUsed
        }
        skyTime = now
    }

    func complete(_ location: inout Location, at now: BootInstant) {
        guard let skyTime, now.seconds(since: skyTime) < Self.skyLifetime else { return }
        location.satellitesUsed = sky.satellitesUsed
        location.hdop = sky.hdop.flatMap(Self.plausible)
        location.vdop = sky.vdop.flatMap(Self.plausible)
        location.pdop = sky.pdop.flatMap(Self.plausible)
    }

    /// Dilutions are not negative; receivers say 99.99 for "none", which is their number and stays.
    private static func plausible(_ dop: Double) -> Double? {
        dop >= 0 ? dop : nil
    }
}
