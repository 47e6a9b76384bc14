import Synchronization
import Varlink

/// One call on a connection of its own, on the client thread; the connection ends with the last answer.
final class OneShotCall<Answer> {
    typealias Receiver = (Result<Answer, LocationError>, _ isLast: Bool) -> Void

    private let read: (Reply) throws(LocationError) -> Answer
    private var connection: ClientConnection?
    private var receiver: Receiver?

    /// - Parameter read: what a reply says; throws what is no answer.
    init(reading read: @escaping (Reply) throws(LocationError) -> Answer) {
        self.read = read
    }

    /// Asks, once.
    ///
    /// - Parameters:
    ///   - more: whether more than one answer may come.
    ///   - receiver: is told each answer, or why there is none, which is the last; that there is no connection already
    ///     before this returns.
    func start(
        _ method: String, _ parameters: some Encodable, more: Bool, at path: String, _ loop: ClientLoop,
        _ receiver: @escaping Receiver
    ) {
        self.receiver = receiver
        do throws(LocationError) {
            let connection = try loop.connect(to: path) { [self] in handle($0, more) }
            self.connection = connection
            try connection.send(method, parameters, more: more)
        } catch {
            finish(error)
        }
    }

    /// Ends it with this as the last answer, if it has not ended yet; with `nil` nothing is answered any more.
    func finish(_ error: LocationError?) {
        let receiver = close()
        if let error { receiver?(.failure(error), true) }
    }

    private func handle(_ input: ClientConnection.Input, _ more: Bool) {
        do throws(LocationError) {
            switch input {
            case .ended(let error): throw error
            case .reply(let reply):
                let answer = try read(reply)
                let isLast = !more || !reply.continues
                (isLast ? close() : receiver)?(.success(answer), isLast)
            }
        } catch {
            finish(error)
        }
    }

    private func close() -> Receiver? {
        connection?.close()
        connection = nil
        defer { receiver = nil }
        return receiver
    }
}

extension OneShotCall where Answer: Decodable {
    /// A call whose answers are the parameters of its replies.
    convenience init() {
        self.init { reply throws(LocationError) in try reply.answer() }
    }
}

/// A call to the daemon that any thread may ask, once, and give up.
final class ClientCall<Answer: Decodable & Sendable>: Sendable {
    private let call = ClientThreadConfined(OneShotCall<Answer>())
    /// Given up, perhaps before it was asked.
    private let isCancelled = Mutex(false)

    /// Asks; what comes is told on the client thread.
    ///
    /// - Parameters:
    ///   - more: whether more than one answer may come.
    ///   - seconds: how long the last answer may take; `nil` for as long as it takes.
    ///   - receiver: is told each answer, or why there is none, which is the last.
    /// - Returns: false if there can be no client thread; nothing is told then.
    func start(
        _ method: String, _ parameters: some Encodable & Sendable, more: Bool = false, within seconds: Double? = nil,
        at path: String,
        _ receiver: @escaping @Sendable (Result<Answer, LocationError>, _ isLast: Bool) -> Void
    ) -> Bool {
        ClientThread.shared.perform { [self] loop in
            if isCancelled.withLock({ $0 }) { return receiver(.failure(.cancelled), true) }
            let timer = seconds.map { startTimer($0, at: path, loop) }
            call(loop).start(method, parameters, more: more, at: path, loop) { result, isLast in
                if isLast, let timer { loop.cancel(timer) }
                receiver(result, isLast)
            }
        }
    }

    private func startTimer(_ seconds: Double, at path: String, _ loop: ClientLoop) -> ClientLoop.TimerID {
        loop.schedule(at: loop.now.advanced(bySeconds: seconds)) { [call] loop in
            call(loop).finish(.silent(at: path))
        }
    }

    /// The last answer is `cancelled`, if it has not been told yet.
    func cancel() {
        isCancelled.withLock { $0 = true }
        ClientThread.shared.performIfRunning { [call] loop in call(loop).finish(.cancelled) }
    }
}
