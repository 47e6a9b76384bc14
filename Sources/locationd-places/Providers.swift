import LocationModel
import Places

/// Who is asked, in which order: the network if it is configured, and the database.
///
/// The network knows streets; what it does not know, the database may know roughly. Where the network fails, what the
/// database knows is handed to the error, so that the caller sees that it is not all there could be.
struct Providers: Sendable {
    /// `nil` where no provider is configured.
    let online: (any PlaceProvider)?
    let offline: any PlaceProvider
    /// Whose turn it is to ask the latter; `nil` if it needs none.
    var turns: DatabaseTurns?

    /// - Parameter uid: who asks.
    func answer(
        _ question: PlacesRequest, for uid: UInt32, timers: Timers
    ) async throws(PlacesError) -> [Placemark] {
        @Sendable func askDatabase() async throws(PlacesError) -> [Placemark] {
            guard let turns else { return try await question.query(offline) }
            return try await turns.run(for: uid) { () throws(PlacesError) in try await question.query(offline) }
        }
        guard let online else {
            return try await Race.answer(within: nil, by: timers) { () throws(PlacesError) in try await askDatabase() }
        }
        do throws(PlacesError) {
            let found = try await Race.answer(within: question.timeout, by: timers) { () throws(PlacesError) in
                try await question.query(online.serving(uid: uid))
            }
            return await addingTimeZones(to: found)
        } catch {
            switch error {
            case .noResult: return try await askDatabase()
            case .network, .busy:
                guard let known = try? await askDatabase() else { throw error }
                throw .partialResult(known)
            case .partialResult, .cancelled: throw error
            }
        }
    }

    /// Providers do not tell time zones; the database does, and is believed where it means the same country.
    private func addingTimeZones(to placemarks: [Placemark]) async -> [Placemark] {
        var completed = placemarks
        for index in completed.indices where completed[index].timeZone == nil {
            let near = try? await offline.placemarks(at: completed[index].coordinate, locale: nil).first
            guard let near, let country = near.countryCode, country == completed[index].countryCode ?? country
            else { continue }
            completed[index].timeZone = near.timeZone
        }
        return completed
    }
}
