import LocationFormats
import LocationHub
import LocationModel

/// What one reader of sentences is told: pure.
///
/// A location is a GGA and an RMC sentence, in one piece: GeoClue makes one location of them only if it reads both at
/// once. That there is no fix is said once, when it ends or when there was none from the beginning, and then no location
/// however young; only who sees few of them is told the last one all the same. A location is never said twice.
struct NMEAReading {
    private enum State { case untold, fix, noFix }
    private var state = State.untold

    /// - Returns: the sentences that say the update; `nil` for nothing.
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
