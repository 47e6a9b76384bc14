import FoundationEssentials
import HTTPRequests
@_spi(Programs) import LocationModel
import Logging
import Synchronization

/// The network service: sends queries as requests and converts the responses to placemarks.
final class ProviderRequests: Sendable {
    /// The pause after a service reports too many requests without stating a time, seconds.
    private static let usualHold = 60.0

    let line: ProviderRateLimiter
    private let settings: OnlineSettings
    private let client: HTTPClient
    private let cache: PlaceCache?
    private let logger: Logger
    /// Languages that Photon has rejected; old versions answer with an error.
    private let unknownLanguages = Mutex<Set<String>>([])

    init(settings: OnlineSettings, client: HTTPClient, line: ProviderRateLimiter, cache: PlaceCache?, logger: Logger) {
        self.settings = settings
        self.client = client
        self.line = line
        self.cache = cache
        self.logger = logger
    }

    /// - Parameter uid: the querying user.
    /// - Returns: empty if the service finds nothing.
    func answer(_ question: OnlineQuery, for uid: UInt32) async throws(PlacesError) -> [Placemark] {
        let language = question.photonLanguage
        let inLanguage = unknownLanguages.withLock { !$0.contains(language) }
        let answer = try await get(question.path(for: settings.provider, inLanguage: inLanguage), for: uid)
        guard settings.provider == .photon, answer.status == 400, inLanguage else {
            return try await placemarks(in: answer)
        }
        let second = try await get(question.path(for: .photon, inLanguage: false), for: uid)
        if second.status == 200 { unknownLanguages.withLock { _ = $0.insert(language) } }
        return try await placemarks(in: second)
    }

    private func get(_ path: String, for uid: UInt32) async throws(PlacesError) -> HTTPAnswer {
        // Another process of ours may have been asked to pause.
        if let hold = await cache?.hold(of: settings.url), hold > 0 {
            line.hold(forSeconds: min(hold, HTTPAnswer.longestHold))
        }
        let result = try await line.turn(of: uid) { () async throws(PlacesError) -> Result<HTTPAnswer, HTTPFailure> in
            do throws(HTTPFailure) {
                let answer = try await client.send(to: settings.url + path, within: settings.timeout)
                // Before the next request gets its turn.
                await applyRetryDelay(answer)
                return .success(answer)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let answer): return answer
        case .failure(.cancelled): throw .cancelled
        case .failure(.timedOut): throw failure("no answer within \(Int(settings.timeout)) s")
        case .failure(.failed(let words)): throw failure(words)
        }
    }

    private func applyRetryDelay(_ answer: HTTPAnswer) async {
        guard let hold = answer.hold(usual: Self.usualHold) else { return }
        line.hold(forSeconds: hold)
        await cache?.persistHold(of: settings.url, seconds: hold)
        logger.warning(
            "the provider of places accepts no requests for some time",
            metadata: ["url": "\(settings.url)", "status": "\(answer.status)", "seconds": "\(Int(hold))"])
    }

    private func placemarks(in answer: HTTPAnswer) async throws(PlacesError) -> [Placemark] {
        if let redirection = answer.redirectionText { throw failure(redirection) }
        switch answer.status {
        case 200, 404: break
        case 429: throw failure("too many requests (status 429)")
        default: throw failure("status \(answer.status)")
        }
        let json: Data
        do throws(HTTPFailure) { json = try answer.json() } catch {
            guard case .failed(let words) = error else { throw .cancelled }
            throw failure(words)
        }
        let (places, isNothing) = try read(json)
        if isNothing { return [] }
        guard answer.status == 200, !places.isEmpty else {
            throw failure("the answer has no places (status \(answer.status)); is this a \(settings.provider)?")
        }
        return places.map(\.placemark)
    }

    private func read(_ body: Data) throws(PlacesError) -> ([FoundPlace], isNothing: Bool) {
        do {
            let decoder = JSONDecoder()
            switch settings.provider {
            case .nominatim:
                let answer = try decoder.decode(NominatimAnswer.self, from: body)
                return (answer.places, answer.isNothing)
            case .photon:
                let answer = try decoder.decode(PhotonAnswer.self, from: body)
                return (answer.places, answer.isNothing)
            }
        } catch {
            throw failure("the answer is not JSON of a \(settings.provider)")
        }
    }

    private func failure(_ words: String) -> PlacesError {
        .network("\(settings.url): \(words)")
    }
}
