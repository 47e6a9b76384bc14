import AccessPoints
import HTTPRequests
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
@_spi(Programs) import SystemSupport

/// Asks a service on the network where the access points are of which nothing is known, while somebody wants the
/// position.
actor OnlineLocator {
    /// As the administrator names the service.
    private let url: String
    /// With the key, which is not logged.
    private let address: String
    private let timeout: Double
    private let client: HTTPClient
    private let memory: PlaceMemory
    private let clock: ServiceClock
    private let logger: Logger
    private var pace = OnlinePace()
    private var counted: (requests: Int, answers: Int) = (0, 0)
    private var last: (time: UTCTime, reason: String?)?

    /// - Returns: `nil` if nobody is to be asked.
    /// - Throws: that libcurl is missing.
    init?(
        _ settings: GeolocateSettings, _ memory: PlaceMemory, clock: ServiceClock, logger: Logger
    ) throws(LibraryMissing) {
        guard let url = settings.url else { return nil }
        self.url = url
        address = url + "/v1/geolocate" + (settings.key.map { "?key=\($0)" } ?? "")
        let contact = settings.contact.map { " (\($0))" } ?? ""
        client = try HTTPClient(userAgent: "locationd-nearby/\(Release.version)\(contact)", clock: clock)
        (timeout, self.memory, self.clock, self.logger) = (settings.timeout, memory, clock, logger)
    }

    /// Asks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // Before the look, so that no change after it is missed.
            let (seen, wanted) = (memory.news.current.version, memory.demand.current)
            guard wanted.value.calls > 0, let observation = await memory.unanswered else {
                await wait(news: seen, demand: wanted.version, seconds: nil)
                continue
            }
            let delay = pace.delay(at: clock.now())
            guard delay == 0 else {
                await wait(news: seen, demand: wanted.version, seconds: delay)
                continue
            }
            await requestPlace(of: observation)
        }
    }

    private func wait(news: Int, demand: Int, seconds: Double?) async {
        let (memory, sleep) = (memory, clock.sleep)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await memory.news.change(after: news) }
            group.addTask { _ = await memory.demand.change(after: demand) }
            if let seconds { group.addTask { try? await sleep(.seconds(seconds)) } }
            await group.next()
            group.cancelAll()
        }
    }

    private func requestPlace(of observation: AccessPointObservation) async {
        counted.requests += 1
        let count = observation.usable.count
        logger.info("a service on the network is asked", metadata: ["url": "\(url)", "accessPoints": "\(count)"])
        let outcome: OnlinePace.Outcome
        var reason: String?
        do throws(GeolocateAnswer.Failure) {
            let answer = try await answer(to: observation)
            // Before who waits for the place learns that it has come.
            counted.answers += 1
            await memory.learn(observation, statedByService: answer.coordinate, accuracy: answer.accuracy)
            outcome = .answered
        } catch {
            (outcome, reason) = (error.outcome, error.reason)
            logger.notice("the service on the network states no place", metadata: ["reason": "\(error.reason)"])
        }
        pace.end(outcome, at: clock.now())
        last = (clock.utc(), reason)
    }

    private func answer(to observation: AccessPointObservation) async throws(GeolocateAnswer.Failure) -> GeolocateAnswer
    {
        guard let json = try? GeolocateRequest(observation).json() else {
            throw GeolocateAnswer.Failure(outcome: .failed, reason: "the request cannot be written")
        }
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try await client.send(json, to: address, within: timeout)
        } catch {
            let reason =
                switch error {
                case .failed(let words): words
                case .timedOut: "no answer within \(Int(timeout)) s"
                case .cancelled: "the program ends"
                }
            throw GeolocateAnswer.Failure(outcome: .failed, reason: reason)
        }
        return try GeolocateAnswer(answer)
    }

    /// What was asked so far.
    var state: NearbyInterface.Online {
        var state = NearbyInterface.Online(url: url, requests: counted.requests, answers: counted.answers)
        (state.lastRequest, state.reason) = (last?.time, last?.reason)
        return state
    }
}
