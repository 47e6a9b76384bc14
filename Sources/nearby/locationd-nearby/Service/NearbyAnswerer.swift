import AccessPoints
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// Answers the calls of `org.locationd.nearby`. The socket's mode decides which users may connect.
struct NearbyAnswerer: CallAnswerer {
    enum Request: Sendable {
        case state
        case learn(Coordinate, accuracy: Double)
        case forget(PlaceSelection)
    }

    /// Metres: the accuracy of a position that is stated without one.
    static let statedAccuracy = 20.0
    /// Metres, beyond which a position does not tell where an access point is.
    static let greatestAccuracy = 200.0
    /// Seconds that a radio may take to receive what is there.
    static let patience = 20.0

    /// The methods that are answered; `nil` for all.
    var methods: Set<String>?
    let store: NearbyStore
    let memory: PlaceMemory
    let online: OnlineLocator?
    let clock: ServiceClock

    let description = ServiceDescription(
        vendor: "locationd", product: "locationd-nearby", version: Release.version, url: "man:locationd-nearby(8)",
        interfaces: [NearbyInterface.description])
    let interface = NearbyInterface.name

    func request(_ call: Call) throws(ErrorReply) -> Request {
        guard methods?.contains(call.method) ?? true else { throw .permissionDenied }
        switch call.method {
        case NearbyInterface.Method.getState: return .state
        case NearbyInterface.Method.learn: return try Self.learn(call.parameters())
        case NearbyInterface.Method.forget: return .forget(try PlaceSelection(call.parameters()))
        default: throw .methodNotFound(call.method)
        }
    }

    private static func learn(_ request: NearbyInterface.LearnRequest) throws(ErrorReply) -> Request {
        guard let coordinate = Coordinate(latitude: request.latitude, longitude: request.longitude) else {
            throw .invalidParameter("latitude", reason: "the position is not on the Earth")
        }
        let accuracy = request.horizontalAccuracy ?? statedAccuracy
        guard accuracy > 0, accuracy <= greatestAccuracy else {
            throw .invalidParameter(
                "horizontalAccuracy", reason: "it is not more than 0 and at most \(Int(greatestAccuracy)) m")
        }
        return .learn(coordinate, accuracy: accuracy)
    }

    func answer(
        _ request: Request, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable {
        do throws(NearbyStoreError) {
            switch request {
            case .state: return NearbyInterface.StateReply(state: try await state())
            case .forget(let selection):
                return NearbyInterface.Forgotten(forgotten: try await memory.forget(selection))
            case .learn(let coordinate, let accuracy):
                if let learned = await learn(at: coordinate, accuracy) { return learned }
            }
        } catch {
            throw ErrorReply(
                NearbyInterface.Failure.fileUnusable, parameters: NearbyInterface.Reason(reason: error.description))
        }
        let reason = await memory.obstacle ?? "no access point was received in the last minute that could be remembered"
        throw ErrorReply(NearbyInterface.Failure.nothingReceived, parameters: NearbyInterface.Reason(reason: reason))
    }

    private func state() async throws(NearbyStoreError) -> NearbyInterface.State {
        let summary = try store.summary()
        let (received, known) = await memory.reception
        var state = NearbyInterface.State(
            accessPoints: summary.count, file: store.path, received: received, known: known)
        state.firstDay = summary.firstDay.map(Days.begin)
        state.lastDay = summary.lastDay.map(Days.begin)
        state.online = await online?.state
        switch await memory.answer() {
        case .success(let answer): state.horizontalAccuracy = answer.estimate.accuracy
        case .failure(let unknown): state.reason = unknown.reason
        }
        return state
    }

    /// Waits for what the radios receive.
    ///
    /// - Returns: `nil` if that is nothing.
    private func learn(at coordinate: Coordinate, _ accuracy: Double) async -> NearbyInterface.Learned? {
        let begin = clock.now().advanced(bySeconds: -ScanPace.interval)
        memory.demand.change { $0.statements += 1 }
        defer { memory.demand.change { $0.statements -= 1 } }
        return await withTaskGroup(of: NearbyInterface.Learned?.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    let version = memory.news.current.version
                    if let lesson = await memory.learn(statedAt: coordinate, accuracy: accuracy, receivedSince: begin) {
                        return NearbyInterface.Learned(
                            received: lesson.changed.count, added: lesson.added, moved: lesson.moved)
                    }
                    _ = await memory.news.change(after: version)
                }
                return nil
            }
            group.addTask {
                try? await Pause.sleep(for: .seconds(Self.patience))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

extension PlaceSelection {
    /// - Throws: which parameter is missing or out of range.
    init(_ request: NearbyInterface.ForgetRequest) throws(ErrorReply) {
        self.init()
        since = request.since.map(Days.number)
        until = request.until.map(Days.number)
        if let since, let until, since > until { throw .invalidParameter("since", reason: "it is after `until`") }
        switch (request.latitude, request.longitude, request.distance) {
        case (nil, nil, nil): break
        case (let latitude?, let longitude?, let distance?):
            guard let center = Coordinate(latitude: latitude, longitude: longitude) else {
                throw .invalidParameter("latitude", reason: "the position is not on the Earth")
            }
            guard distance > 0, distance.isFinite else {
                throw .invalidParameter("distance", reason: "it is not more than 0 m")
            }
            circle = Circle(center: center, radius: distance)
        default: throw .invalidParameter("distance", reason: "latitude, longitude and distance belong together")
        }
    }
}
