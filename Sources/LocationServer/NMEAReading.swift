import LocationFormats
import LocationHub
import LocationModel

/// What one reader of sentences is told: pure.
///
/// A location is a GGA and an RMC sentence, in one piece: GeoClue makes one location of them only if it reads both at
/// once. That there is no fix is said once, when it ends or when there was none from the beginning; a location is never
/// said twice.
struct NMEAReading {
    private enum State { case untold, fix, noFix }
    private var state = State.untold

    /// - Parameter mayReceive: false for one who may not know now, to whom nothing else is said than that there is no fix.
    /// - Returns: the sentences that say the update; `nil` for nothing.
    mutating func sentences(for update: WatchUpdate, mayReceive: Bool) -> String? {
        if let location = update.location, mayReceive {
            state = .fix
            return NMEASentences().record(for: location.statingHDOP)
        }
        guard let status = update.status else { return nil }
        let isLost = update.isFinal || !mayReceive || !status.enabled || status.source != .tracking
        guard isLost, state != .noFix else { return nil }
        state = .noFix
        return NMEASentences.noFix
    }
}
