@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

/// A queue of geocoding requests, on the client thread. A few are active at a time, each on a connection of its own
/// that closes with the answer; the others wait. So a thousand geocoders overload neither this process nor the service,
/// and the service can exit when it is idle.
///
/// A connection that closes before its answer is opened once more: the service may have exited at that moment, and is
/// started again by the next connection.
@_spi(Programs) public final class PlacesRequestQueue {
    typealias Answer = Result<[Placemark], GeocodingError>

    /// The number of active requests.
    static let maximumActive = 8
    /// Seconds for which the service may be silent in addition to the time-out for the network.
    @_spi(Programs) public static let grace = 10.0

    private final class QueuedRequest {
        let caller: AnyObject
        let request: GeocodingRequest
        let timeout: Double
        let receive: (Answer) -> Void
        var timer: ClientLoop.TimerID?
        /// `nil` while the request waits.
        var call: OneShotCall<Answer>?
        var isSecondTry = false

        init(caller: AnyObject, request: GeocodingRequest, timeout: Double, receive: @escaping (Answer) -> Void) {
            self.caller = caller
            self.request = request
            self.timeout = timeout
            self.receive = receive
        }
    }

    private let path: String
    private let grace: Double
    /// In the order of arrival.
    private var requests: [QueuedRequest] = []
    private var isStarting = false

    init(path: String, grace: Double = PlacesRequestQueue.grace) {
        self.path = path
        self.grace = grace
    }

    /// The number of active requests.
    var activeCount: Int { requests.count { $0.call != nil } }

    /// - Parameter caller: identifies the caller for ``cancel(_:_:)``.
    func enqueue(
        _ caller: AnyObject, _ request: GeocodingRequest, timeout: Double, _ loop: ClientLoop,
        _ receive: @escaping (Answer) -> Void
    ) {
        let queued = QueuedRequest(caller: caller, request: request, timeout: timeout, receive: receive)
        requests.append(queued)
        startWaiting(loop)
    }

    /// Removes the request; its caller receives nothing any more.
    func cancel(_ caller: AnyObject, _ loop: ClientLoop) {
        guard let queued = requests.first(where: { $0.caller === caller }) else { return }
        remove(queued, loop)
        startWaiting(loop)
    }

    /// A request that fails immediately, as when nothing listens, frees its slot within the same loop.
    private func startWaiting(_ loop: ClientLoop) {
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        while activeCount < Self.maximumActive, let next = requests.first(where: { $0.call == nil }) {
            start(next, loop)
        }
    }

    private func start(_ queued: QueuedRequest, _ loop: ClientLoop) {
        let call = OneShotCall<Answer>(reading: { reply throws(LocationError) in try reply.geocodingResult() })
        queued.call = call
        startTimer(queued, loop)
        let receive: OneShotCall<Answer>.Receiver = { [self] result, _ in
            switch result {
            case .success(let answer): finish(queued, answer, loop)
            case .failure(.disconnected) where !queued.isSecondTry:
                queued.isSecondTry = true
                start(queued, loop)
            case .failure(let error): finish(queued, .failure(GeocodingError(error, at: path)), loop)
            }
        }
        let locale = queued.request.locale ?? LanguageTag.ofEnvironment
        switch queued.request {
        case .place(let coordinate, _):
            let parameters = ReverseGeocodeParameters(
                latitude: coordinate.latitude, longitude: coordinate.longitude, locale: locale,
                timeout: queued.timeout)
            call.start(PlacesInterface.Method.reverseGeocode, parameters, more: false, at: path, loop, receive)
        case .name(let text, _, let limit):
            let parameters = GeocodeParameters(text: text, locale: locale, limit: limit, timeout: queued.timeout)
            call.start(PlacesInterface.Method.geocode, parameters, more: false, at: path, loop, receive)
        }
    }

    /// The time-out begins with the first attempt, not while the request waits in the queue.
    private func startTimer(_ queued: QueuedRequest, _ loop: ClientLoop) {
        guard queued.timer == nil else { return }
        queued.timer = loop.schedule(at: loop.now.advanced(bySeconds: queued.timeout + grace)) { [self, path] loop in
            finish(queued, .failure(.serviceNotReachable(path: path, reason: "it does not answer")), loop)
        }
    }

    private func finish(_ queued: QueuedRequest, _ answer: Answer, _ loop: ClientLoop) {
        remove(queued, loop)
        queued.receive(answer)
        startWaiting(loop)
    }

    private func remove(_ queued: QueuedRequest, _ loop: ClientLoop) {
        requests.removeAll { $0 === queued }
        queued.call?.finish(nil)
        if let timer = queued.timer { loop.cancel(timer) }
    }
}
