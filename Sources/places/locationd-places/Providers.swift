@_spi(Programs) import LocationModel
import Places
@_spi(Programs) import SystemSupport

/// The providers in their order: the network service if it is configured, and the database.
///
/// The network service knows streets; if it finds nothing, the database may have an approximate answer. If the network
/// fails, the database's answer becomes a part of the error, so that the caller sees that it is incomplete.
struct Providers: Sendable {
    /// `nil` if no network service is configured.
    let online: (any PlaceProvider)?
    let offline: any PlaceProvider
    /// Schedules the database's queries; `nil` if it needs no schedule.
    var scheduler: DatabaseScheduler?

    /// - Parameter uid: the querying user.
    func answer(
        _ question: PlacesRequest, for uid: UInt32, clock: ServiceClock
    ) async throws(PlacesError) -> [Placemark] {
        @Sendable func askDatabase() async throws(PlacesError) -> [Placemark] {
            guard let scheduler else { return try await question.query(offline) }
            return try await scheduler.run(for: uid) { () throws(PlacesError) in try await question.query(offline) }
        }
        guard let online else {
            return try await Race.answer(within: nil, by: clock) { () throws(PlacesError) in try await askDatabase() }
        }
        do throws(PlacesError) {
            let found = try await Race.answer(within: question.timeout, by: clock) { () throws(PlacesError) in
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

    /// Adds time zones, which network services lack, from the database, if both name the same country.
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
