/// Single flight, on the client thread: callers with equal parameters share one call to the daemon.
///
/// A caller that joins gets the latest answer, if there is one, then each further one. The call is cancelled when the
/// last caller leaves.
final class SharedCalls<Parameters: Hashable & Encodable, Answer: Decodable> {
    typealias Receiver = (Result<Answer, LocationError>, _ isLast: Bool) -> Void

    /// Seconds within which the daemon must reply.
    static var replyTimeout: Double { 10 }

    private final class Call {
        let oneShot = OneShotCall<Answer>()
        var latest: Answer?
        var receivers: [(caller: AnyObject, receive: Receiver)] = []
        var timer: ClientLoop.TimerID?
    }

    private let path: String
    private let method: String
    private let more: Bool
    private var calls: [Parameters: Call] = [:]

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
        if let call = calls[parameters] {
            call.receivers.append((caller, receive))
            if let latest = call.latest { receive(.success(latest), false) }
            return
        }
        let call = Call()
        call.receivers = [(caller, receive)]
        calls[parameters] = call
        call.timer = loop.schedule(at: loop.now.advanced(bySeconds: Self.replyTimeout)) { [path, weak call] _ in
            call?.timer = nil
            call?.oneShot.finish(.silent(at: path))
        }
        call.oneShot.start(method, parameters, more: more, at: path, loop) { [self, unowned call] result, isLast in
            handleReply(result, isLast, call, parameters, loop)
        }
    }

    func leave(_ parameters: Parameters, _ caller: AnyObject, _ loop: ClientLoop) {
        guard let call = calls[parameters] else { return }
        call.receivers.removeAll { $0.caller === caller }
        guard call.receivers.isEmpty else { return }
        calls[parameters] = nil
        call.oneShot.finish(nil)
        cancelTimer(of: call, loop)
    }

    private func handleReply(
        _ result: Result<Answer, LocationError>, _ isLast: Bool, _ call: Call, _ parameters: Parameters,
        _ loop: ClientLoop
    ) {
        cancelTimer(of: call, loop)
        call.latest = try? result.get()
        if isLast { calls[parameters] = nil }
        for receiver in call.receivers { receiver.receive(result, isLast) }
    }

    private func cancelTimer(of call: Call, _ loop: ClientLoop) {
        if let timer = call.timer { loop.cancel(timer) }
        call.timer = nil
    }
}
