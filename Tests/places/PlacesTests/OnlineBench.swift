@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import Places
import ProgramTestSupport
import Synchronization

/// A stub, and a provider that asks it.
struct OnlineBench {
    let stub: HTTPStub
    let clock: OnlineTestClock
    let places: OnlinePlaces
    let log: RecordedLog

    /// - Parameter step: See ``OnlineTestClock/init(step:)``.
    init(
        _ provider: OnlineSettings.Provider = .nominatim, stub: HTTPStub? = nil, clock: OnlineTestClock? = nil,
        step: Double = 2, rate: Double = 1, path: String = "", cachePath: String? = nil, cacheExpiry: Double = 1000,
        cacheSize: Int = 100, waitingLimit: Int = 64
    ) throws {
        self.stub = try stub ?? HTTPStub()
        self.clock = clock ?? OnlineTestClock(step: step)
        log = RecordedLog()
        places = try OnlinePlaces(
            settings: OnlineSettings(
                provider: provider, url: self.stub.url + path, contact: "tests@example.org", rate: rate,
                cachePath: cachePath, cacheExpiry: cacheExpiry, cacheSize: cacheSize),
            version: Release.version, logger: log.logger, clock: self.clock.clock, waitingLimit: waitingLimit)
    }

    /// A position of its own for each number.
    func place(
        _ number: Int = 0, locale: String? = nil, uid: UInt32 = 1000
    ) async -> Result<[Placemark], PlacesError> {
        await place(48 + Double(number) / 1000, 11.5, locale: locale, uid: uid)
    }

    func place(
        _ latitude: Double, _ longitude: Double, locale: String? = nil, uid: UInt32 = 1000
    ) async -> Result<[Placemark], PlacesError> {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return .success([]) }
        do {
            return .success(try await places.serving(uid: uid).placemarks(at: coordinate, locale: locale))
        } catch {
            return .failure(error)
        }
    }

    func find(
        _ text: String, locale: String? = nil, limit: Int = 10
    ) async -> Result<[Placemark], PlacesError> {
        do { return .success(try await places.placemarks(named: text, locale: locale, limit: limit)) } catch {
            return .failure(error)
        }
    }

    static let town = """
        {"licence":"Data © OpenStreetMap contributors","lat":"48.2","lon":"11.5","category":"place","type":"town",
        "name":"Dachau","address":{"town":"Dachau","country":"Germany","country_code":"de"}}
        """
    static let nothing = #"{"error":"Unable to geocode"}"#
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
    var value: Success? { try? get() }
}
