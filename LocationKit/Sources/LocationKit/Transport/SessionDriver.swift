@_spi(Programs) import LocationModel
@_spi(Programs) public import LocationSession
import Varlink

/// Performs the steps of a ``DaemonSession`` on the client thread.
final class SessionDriver<Answer: SessionAnswer & Decodable> {
    typealias Session = DaemonSession<Answer, LocationError>

    private let path: () -> String
    /// Sends the call over a new connection.
    private let send: (ClientConnection) throws(LocationError) -> Void
    private let receive: (Session.Event, ClientLoop) -> Void
    private var session: Session
    private var connection: ClientConnection?
    private var timer: ClientLoop.TimerID?

    /// - Parameters:
    ///   - path: the socket, asked for with each connection.
    ///   - receive: is called with each event; it neither opens nor closes this session.
    init(
        at path: @escaping () -> String, sending send: @escaping (ClientConnection) throws(LocationError) -> Void,
        receive: @escaping (Session.Event, ClientLoop) -> Void
    ) {
        (self.path, self.send, self.receive) = (path, send, receive)
        session = Session(silence: .silent(at: path()))
    }

    /// Begins, or makes the call again in place of the present one.
    func open(_ loop: ClientLoop) {
        perform(session.open(at: loop.now), loop)
    }

    func close(_ loop: ClientLoop) {
        perform(session.close(), loop)
    }

    /// Somebody wants an answer who has not waited yet.
    func hurry(_ loop: ClientLoop) {
        session.hurry(at: loop.now)
        schedule(loop)
    }

    private func lose(_ error: LocationError, _ loop: ClientLoop) { perform(session.lose(error, at: loop.now), loop) }

    private func perform(_ steps: [Session.Step], _ loop: ClientLoop) {
        for step in steps {
            switch step {
            case .connect: connect(loop)
            case .disconnect:
                connection?.close()
                connection = nil
            case .deliver(let event): receive(event, loop)
            }
        }
        schedule(loop)
    }

    private func schedule(_ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = session.deadline.map { deadline in
            loop.schedule(at: deadline) { [self] loop in perform(session.advance(to: loop.now), loop) }
        }
    }

    private func connect(_ loop: ClientLoop) {
        do throws(LocationError) {
            let connection = try loop.connect(to: path()) { [self] in handle($0, loop) }
            self.connection = connection
            try send(connection)
        } catch {
            lose(error, loop)
        }
    }

    private func handle(_ input: ClientConnection.Input, _ loop: ClientLoop) {
        do throws(LocationError) {
            switch input {
            case .ended(let error): throw error
            case .reply(let reply):
                let answer = try reply.answer(as: Answer.self)
                perform(
                    session.receive(answer, ending: reply.continues ? nil : .disconnected, at: loop.now), loop)
            }
        } catch {
            lose(error, loop)
        }
    }
}

/// A call with many replies that outlives the daemon, for programs; any thread may end it.
@_spi(Programs) public final class LastingCall<Answer: SessionAnswer & Decodable>: Sendable {
    @_spi(Programs) public typealias Event = DaemonSession<Answer, LocationError>.Event

    private let driver: ClientThreadConfined<SessionDriver<Answer>>

    /// - Parameters:
    ///   - path: the socket, asked for with each connection.
    ///   - receive: is called on the client thread with each event, until the call is closed.
    /// - Returns: `nil` if the client thread cannot be started.
    @_spi(Programs) public init?(
        _ method: String, _ parameters: some Encodable & Sendable,
        at path: @autoclosure @escaping @Sendable () -> String,
        receive: @escaping @Sendable (Event) -> Void
    ) {
        driver = ClientThreadConfined(
            SessionDriver(
                at: path,
                sending: { connection throws(LocationError) in try connection.send(method, parameters, more: true) },
                receive: { event, _ in receive(event) }))
        guard ClientThread.shared.perform({ [driver] loop in driver(loop).open(loop) }) else { return nil }
    }

    @_spi(Programs) public func close() {
        ClientThread.shared.performIfRunning { [driver] loop in driver(loop).close(loop) }
    }
}
