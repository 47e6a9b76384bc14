import LocationFormats
import LocationHub
import LocationModel

/// Decides which sentences one reader of the NMEA socket receives. Pure.
///
/// A location is a GGA and an RMC sentence in one write: GeoClue makes one location of them only if it reads both at
/// once. The absence of a fix is sent once, when the fix ends or when there was none at the start, and no cached
/// location follows it, however recent; only readers with reduced accuracy or a rate limit receive the last location
/// anyway. A location is never sent twice.
struct NMEAReading {
    private enum State { case unsent, fix, noFix }
    private var state = State.unsent

    /// - Returns: the sentences for the update; `nil` if nothing is to be sent.
    mutating func sentences(for update: WatchUpdate, permission: Permission) -> String? {
        let isLost = update.status.map { !$0.enabled || $0.source != .tracking } ?? false
        if let location = update.location, permission.mayReceive, !isLost || !permission.maySeeAll {
            state = .fix
            return NMEASentences().record(for: location.statingHDOP)
        }
        guard update.status != nil, isLost || update.isFinal || !permission.mayReceive, state != .noFix else {
            return nil
        }
        state = .noFix
        return NMEASentences.noFix
    }
}
