import LocationFormats
import LocationHub
@_spi(Programs) import LocationModel

/// Decides which sentences one reader of the NMEA socket receives. Pure.
///
/// A location is all its sentences in one write: GeoClue makes one location of GGA and RMC only if it reads both at
/// once. A view of the sky follows in a write of its own, to readers with full accuracy. The absence of a fix is sent
/// once, when the fix ends or when there was none at the start, and no cached location follows it, however recent; only
/// readers with reduced accuracy or a rate limit receive the last location anyway. A location is never sent twice.
struct NMEAReading {
    private enum State { case unsent, fix, noFix }
    private var state = State.unsent
    private var format = NMEASentences(statesHDOP: true)

    /// - Returns: the sentences for the update; `nil` if nothing is to be sent.
    mutating func sentences(for update: WatchUpdate, permission: Permission) -> String? {
        let isLost = update.status.map { !$0.enabled || $0.source != .tracking } ?? false
        if let location = update.location, permission.mayReceive, !isLost || !permission.maySeeAll {
            state = .fix
            format.isReduced = permission.accuracy != .full
            return format.record(for: location)
        }
        if let satellites = update.satellites, permission.maySeeAll {
            return format.record(for: satellites)
        }
        guard update.status != nil, isLost || update.isFinal || !permission.mayReceive, state != .noFix else {
            return nil
        }
        state = .noFix
        format.interrupt()
        return NMEASentences.noFix
    }
}
