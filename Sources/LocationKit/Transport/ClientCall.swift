import Synchronization

/// A question to the daemon that any thread may ask, once, and give up.
final class ClientCall<Answer: Decodable & Sendable>: Sendable {
    private let question = ClientThreadConfined(OneShotCall<Answer>())
    /// Given up, perhaps before it was asked.
    private let isCancelled = Mutex(false)

    /// Asks; what comes is told on the client thread.
    ///
    /// - Parameters:
    ///   - more: whether more than one answer may come.
    ///   - seconds: how long the last answer may take; `nil` for as long as it takes.
    ///   - receiver: is told each answer, or why there is none, which is the last.
    /// - Returns: false if there can be no client thread; nothing is told then.
    func ask(
        _ method: String, _ parameters: some Encodable & Sendable, more: Bool = false, within seconds: Double? = nil,
        at path: String,
        _ receiver: @escaping @Sendable (Result<Answer, LocationError>, _ isLast: Bool) -> Void
    ) -> Bool {
        ClientThread.shared.perform { [self] loop in
            if isCancelled.withLock({ $0 }) { return receiver(.failure(.cancelled), true) }
            let timer = seconds.map { limit(to: $0, at: path, loop) }
            question(loop).ask(method, parameters, more: more, at: path, loop) { result, isLast in
                if isLast, let timer { loop.cancel(timer) }
                receiver(result, isLast)
            }
        }
    }

    private func limit(to seconds: Double, at path: String, _ loop: ClientLoop) -> ClientLoop.TimerID {
        loop.schedule(at: loop.now.advanced(bySeconds: seconds)) { [question] loop in
            question(loop).end(.silent(at: path))
        }
    }

    /// The last answer is `cancelled`, if it has not been told yet.
    func cancel() {
        isCancelled.withLock { $0 = true }
        ClientThread.shared.performIfRunning { [question] loop in question(loop).end(.cancelled) }
    }
}
