import LocationInterface
import LocationModel

/// Requests for places, on the client thread: a few are asked at a time, each on a connection of its own that ends with
/// the answer, and the others wait in line. So a thousand geocoders crowd out neither this process nor the service,
/// which may end as soon as nobody asks.
///
/// A connection that ends before its answer is made once more: the service may have been ended in that moment, and comes
/// back with the next caller.
package final class PlacesRequestQueue {
    typealias Answer = Result<[Placemark], GeocodingError>

    /// Requests that are asked at a time.
    static let width = 8
    /// Seconds that the service may be silent beyond the time it may wait for a network.
    package static let grace = 10.0

    private final class Visitor {
        let caller: AnyObject
        let request: GeocodingRequest
        let timeout: Double
        let receive: (Answer) -> Void
        var timer: ClientLoop.TimerID?
        /// `nil` while it waits in line.
        var question: OneShotCall<Answer>?
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
    /// In the order they came.
    private var visitors: [Visitor] = []
    private var isServing = false

    init(path: String, grace: Double = PlacesRequestQueue.grace) {
        self.path = path
        self.grace = grace
    }

    /// How many are asked now.
    var asked: Int { visitors.count { $0.question != nil } }

    /// - Parameter caller: whoever can ``leave(_:_:)`` again.
    func join(
        _ caller: AnyObject, _ request: GeocodingRequest, timeout: Double, _ loop: ClientLoop,
        _ receive: @escaping (Answer) -> Void
    ) {
        let visitor = Visitor(caller: caller, request: request, timeout: timeout, receive: receive)
        visitors.append(visitor)
        serve(loop)
    }

    /// Nothing is told to the caller any more.
    func leave(_ caller: AnyObject, _ loop: ClientLoop) {
        guard let visitor = visitors.first(where: { $0.caller === caller }) else { return }
        remove(visitor, loop)
        serve(loop)
    }

    /// An answer that is there at once, as where nothing listens, lets the next one in by the same loop.
    private func serve(_ loop: ClientLoop) {
        guard !isServing else { return }
        isServing = true
        defer { isServing = false }
        while asked < Self.width, let next = visitors.first(where: { $0.question == nil }) { ask(next, loop) }
    }

    private func ask(_ visitor: Visitor, _ loop: ClientLoop) {
        let question = OneShotCall<Answer>(reading: { reply throws(LocationError) in try reply.geocodingResult() })
        visitor.question = question
        limit(visitor, loop)
        let receive: OneShotCall<Answer>.Receiver = { [self] result, _ in
            switch result {
            case .success(let answer): end(visitor, answer, loop)
            case .failure(.disconnected) where !visitor.isSecondTry:
                visitor.isSecondTry = true
                ask(visitor, loop)
            case .failure(let error): end(visitor, .failure(GeocodingError(error, at: path)), loop)
            }
        }
        let locale = visitor.request.locale ?? LanguageTag.ofEnvironment
        switch visitor.request {
        case .place(let coordinate, _):
            let parameters = ReverseGeocodeParameters(
                latitude: coordinate.latitude, longitude: coordinate.longitude, locale: locale,
                timeout: visitor.timeout)
            question.ask(PlacesInterface.Method.reverseGeocode, parameters, more: false, at: path, loop, receive)
        case .name(let text, _, let limit):
            let parameters = GeocodeParameters(text: text, locale: locale, limit: limit, timeout: visitor.timeout)
            question.ask(PlacesInterface.Method.geocode, parameters, more: false, at: path, loop, receive)
        }
    }

    /// The time begins with the first try: who waits in line is not yet the service's matter.
    private func limit(_ visitor: Visitor, _ loop: ClientLoop) {
        guard visitor.timer == nil else { return }
        visitor.timer = loop.schedule(at: loop.now.advanced(bySeconds: visitor.timeout + grace)) { [self, path] loop in
            end(visitor, .failure(.serviceNotReachable(path: path, reason: "it does not answer")), loop)
        }
    }

    private func end(_ visitor: Visitor, _ answer: Answer, _ loop: ClientLoop) {
        remove(visitor, loop)
        visitor.receive(answer)
        serve(loop)
    }

    private func remove(_ visitor: Visitor, _ loop: ClientLoop) {
        visitors.removeAll { $0 === visitor }
        visitor.question?.end(nil)
        if let timer = visitor.timer { loop.cancel(timer) }
    }
}
