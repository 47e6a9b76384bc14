import Synchronization
import Varlink

/// One method call on a connection of its own, on the client thread; the connection closes with the last reply.
final class OneShotCall<Answer> {
    typealias Receiver = (Result<Answer, LocationError>, _ isLast: Bool) -> Void

    private let read: (Reply) throws(LocationError) -> Answer
    private var connection: ClientConnection?
    private var receiver: Receiver?

    /// - Parameter read: converts a reply; throws if it does not conform to the interface.
    init(reading read: @escaping (Reply) throws(LocationError) -> Answer) {
        self.read = read
    }

    /// Sends the call. To be called once.
    ///
    /// - Parameters:
    ///   - more: whether several replies may come.
    ///   - receiver: is called with each answer, or with the error, which is the last. It is called before this returns
    ///     if there is no connection.
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

    /// Ends the call with this error as the last answer, unless it has ended; with `nil` the receiver is not called any
    /// more.
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

/// A ``OneShotCall`` that any thread may start once, and cancel.
final class ClientCall<Answer: Decodable & Sendable>: Sendable {
    private let call = ClientThreadConfined(OneShotCall<Answer>())
    /// True once cancelled, perhaps before the start.
    private let isCancelled = Mutex(false)

    /// Sends the call; the receiver is called on the client thread.
    ///
    /// - Parameters:
    ///   - more: whether several replies may come.
    ///   - seconds: how long the last answer may take; `nil` for no limit.
    ///   - receiver: is called with each answer, or with the error, which is the last.
    /// - Returns: false if the client thread cannot be started; the receiver is not called then.
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

    /// Ends the call with the answer `cancelled`, unless it has ended.
    func cancel() {
        isCancelled.withLock { $0 = true }
        ClientThread.shared.performIfRunning { [call] loop in call(loop).finish(.cancelled) }
    }
}
