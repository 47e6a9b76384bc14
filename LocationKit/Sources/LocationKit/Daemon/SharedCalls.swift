@_spi(Programs) import LocationSession
@_spi(Programs) import SystemSupport

/// Callers with equal parameters share one call to the daemon (``SingleFlight``), on the client thread.
///
/// A caller that joins gets the latest answer, if there is one, then each further one. The call is cancelled when the
/// last caller leaves.
final class SharedCalls<Parameters: Hashable & Encodable, Answer: Decodable> {
    typealias Receiver = (Result<Answer, LocationError>, _ isLast: Bool) -> Void

    private final class Call {
        let oneShot = OneShotCall<Answer>()
        var latest: Answer?
        var timer: ClientLoop.TimerID?
    }

    private let path: String
    private let method: String
    private let more: Bool
    /// A waiter retains its caller, so that no other object can get the identity meanwhile.
    private var flights = SingleFlight<Parameters, ObjectIdentifier, (caller: AnyObject, receive: Receiver), Call>()

    /// - Parameter more: whether several replies may come.
    init(_ method: String, more: Bool, at path: String) {
        self.path = path
        self.method = method
        self.more = more
    }

    /// - Parameter caller: identifies the caller for ``leave(_:_:_:)``.
    func join(
        _ parameters: Parameters, _ caller: AnyObject, _ loop: ClientLoop, _ receive: @escaping Receiver
    ) {
        let call = flights.call(for: parameters) ?? Call()
        let isFirst = flights.start(parameters, call)
        flights.join(parameters, ObjectIdentifier(caller), (caller, receive))
        guard isFirst else {
            if let latest = call.latest { receive(.success(latest), false) }
            return
        }
        call.timer = loop.schedule(at: loop.now.advanced(bySeconds: SessionPause.patience)) { [path, weak call] _ in
            call?.timer = nil
            call?.oneShot.finish(.silent(at: path))
        }
        call.oneShot.start(method, parameters, more: more, at: path, loop) { [self] result, isLast in
            handleReply(result, isLast, parameters, loop)
        }
    }

    func leave(_ parameters: Parameters, _ caller: AnyObject, _ loop: ClientLoop) {
        guard !flights.leave(parameters, ObjectIdentifier(caller)).isEmpty, flights.waiters(for: parameters).isEmpty
        else { return }
        guard let call = flights.call(for: parameters) else { return }
        _ = flights.finish(parameters)
        call.oneShot.finish(nil)
        cancelTimer(of: call, loop)
    }

    private func handleReply(
        _ result: Result<Answer, LocationError>, _ isLast: Bool, _ parameters: Parameters, _ loop: ClientLoop
    ) {
        guard let call = flights.call(for: parameters) else { return }
        cancelTimer(of: call, loop)
        call.latest = try? result.get()
        let waiters = isLast ? flights.finish(parameters) : flights.waiters(for: parameters)
        for waiter in waiters { waiter.receive(result, isLast) }
    }

    private func cancelTimer(of call: Call, _ loop: ClientLoop) {
        if let timer = call.timer { loop.cancel(timer) }
        call.timer = nil
    }
}
