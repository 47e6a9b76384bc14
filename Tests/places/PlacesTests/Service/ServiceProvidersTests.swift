@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import Places
import ProgramTestSupport
import Testing

@testable import locationd_places

/// Who is asked for what, and what becomes of the answers.
@Suite(.timeLimit(.minutes(10)))
struct ServiceProvidersTests {
    private let time = VirtualTime()

    private static let here: PlacesRequest = {
        guard let question = try? PlacesRequest(.init(latitude: 52.5, longitude: 13.5, locale: "de")) else {
            preconditionFailure("it is in order")
        }
        return question
    }()

    private func answer(
        online: Result<[Placemark], PlacesError>, offline: Result<[Placemark], PlacesError>
    ) async -> Result<[Placemark], PlacesError> {
        let providers = Providers(online: ScriptedPlaces { _ in online }, offline: ScriptedPlaces { _ in offline })
        do throws(PlacesError) {
            return .success(try await providers.answer(Self.here, for: 1, clock: time.clock))
        } catch {
            return .failure(error)
        }
    }

    private let street: Placemark = {
        var street = Placemark(coordinate: .berlin)
        street.thoroughfare = "Unter den Linden"
        street.countryCode = "DE"
        return street
    }()

    @Test func networkComesFirstAndTheDatabaseAddsTheTimeZone() async {
        var expected = street
        expected.timeZone = "Europe/Berlin"
        #expect(await answer(online: .success([street]), offline: .success([.berlin])) == .success([expected]))
        #expect(time.waiting.isEmpty)
    }

    @Test func timeZoneOfAnotherCountryIsNotBelieved() async {
        var polish = Placemark.berlin
        polish.countryCode = "PL"
        #expect(await answer(online: .success([street]), offline: .success([polish])) == .success([street]))
        #expect(await answer(online: .success([street]), offline: .failure(.noResult)) == .success([street]))
    }

    @Test func timeZoneThatIsKnownStays() async {
        var known = street
        known.timeZone = "Europe/Busingen"
        #expect(await answer(online: .success([known]), offline: .success([.berlin])) == .success([known]))
    }

    @Test func whatTheNetworkDoesNotKnowTheDatabaseMay() async {
        #expect(await answer(online: .failure(.noResult), offline: .success([.berlin])) == .success([.berlin]))
        #expect(await answer(online: .failure(.noResult), offline: .failure(.noResult)) == .failure(.noResult))
    }

    @Test(arguments: [PlacesError.network("the wire is cut"), .busy(limit: 3)])
    func whereTheNetworkFailsTheDatabasesAnswerIsPart(error: PlacesError) async {
        #expect(
            await answer(online: .failure(error), offline: .success([.berlin])) == .failure(.partialResult([.berlin])))
        #expect(await answer(online: .failure(error), offline: .failure(.noResult)) == .failure(error))
        #expect(await answer(online: .failure(error), offline: .failure(.network("no file"))) == .failure(error))
    }

    @Test(arguments: [PlacesError.cancelled, .partialResult([.berlin])])
    func otherErrorsStand(error: PlacesError) async {
        #expect(await answer(online: .failure(error), offline: .success([.berlin])) == .failure(error))
    }
}
