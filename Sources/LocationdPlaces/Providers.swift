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

    func answer(_ question: Question, timers: Timers) async throws(PlacesError) -> [Placemark] {
        guard let online else {
            return try await Race.answer(within: nil, by: timers) { () throws(PlacesError) in
                try await question.ask(offline)
            }
        }
        do throws(PlacesError) {
            let found = try await Race.answer(within: question.timeout, by: timers) { () throws(PlacesError) in
                try await question.ask(online)
            }
            return await addingTimeZones(to: found)
        } catch {
            switch error {
            case .noResult: return try await question.ask(offline)
            case .network, .busy:
                guard let known = try? await question.ask(offline) else { throw error }
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
