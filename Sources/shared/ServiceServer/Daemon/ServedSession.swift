@_spi(Programs) package import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) package import LocationSession
package import NIOCore
@_spi(Programs) import SystemSupport
import Varlink

/// A watch at the daemon for programs of one user.
package typealias ServedWatch = ServedSession<WatchReply>

/// A call of the daemon for programs of one user that has many replies: performs the steps of a ``DaemonSession`` on an
/// event loop.
///
/// Ownership: everything belongs to the event loop.
package final class ServedSession<Answer: SessionAnswer & Decodable> {
    private typealias Session = DaemonSession<Answer, DaemonCall.Failure>
    package typealias Event = DaemonSession<Answer, DaemonCall.Failure>.Event

    private let daemon: String
    /// The call of the next connection, as it is sent.
    package var call: [UInt8]
    private let eventLoop: any EventLoop
    private let log: OutageLog?
    private let readComplete: () -> Void
    private let receive: (Event) -> Void
    private var session = Session(silence: .silence)
    private var connection: DaemonConnection?
    private var timer: Scheduled<Void>?
    /// Counts what its owner has begun and ended: steps of before are not performed any more.
    private var turn = 0

    /// - Parameters:
    ///   - daemon: the path of its socket.
    ///   - call: the call, as it is sent.
    ///   - log: what is told of outages, if nothing else is.
    ///   - readComplete: called soon after each `receive`, when nothing more has arrived.
    ///   - receive: never called before this returns.
    package init(
        daemon: String, call: [UInt8], on eventLoop: any EventLoop, log: OutageLog? = nil,
        readComplete: @escaping () -> Void = {}, receive: @escaping (Event) -> Void
    ) {
        (self.daemon, self.call, self.eventLoop, self.log) = (daemon, call, eventLoop, log)
        (self.readComplete, self.receive) = (readComplete, receive)
        perform(session.open(at: MachineClock.now))
    }

    /// Makes another call in place of the present one.
    package func change(to call: [UInt8]) {
        self.call = call
        turn += 1
        perform(session.open(at: MachineClock.now))
    }

    package func close() {
        turn += 1
        perform(session.close())
    }

    private func perform(_ steps: [Session.Step]) {
        let turn = turn
        for step in steps {
            switch step {
            case .connect: connect()
            case .disconnect:
                connection?.close()
                connection = nil
            case .deliver(let event):
                if case .failed(let failure, isFirst: true) = event { log?.begin(failure) }
                receive(event)
            }
            guard turn == self.turn else { return }
        }
        timer?.cancel()
        timer = session.deadline.map { deadline in
            let seconds = max(0, deadline.seconds(since: MachineClock.now))
            return eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { [weak self] in
                guard let self else { return }
                perform(session.advance(to: MachineClock.now))
            }
        }
    }

    private func connect() {
        connection = DaemonConnection(
            to: daemon, on: eventLoop, call: call, readComplete: { [weak self] in self?.readComplete() },
            receive: { [weak self] in self?.apply($0) })
    }

    private func apply(_ input: DaemonConnection.Input) {
        let now = MachineClock.now
        do throws(DaemonCall.Failure) {
            switch input {
            case .ended(let reason): throw DaemonCall.Failure(description: reason, isUnreachable: true)
            case .update(let update):
                guard let answer = update as? Answer else { throw .unreadable }
                receive(answer, ending: nil, at: now)
            case .reply(let reply):
                if reply.error != nil { throw DaemonCall.Failure(refusal: reply) }
                guard let answer = try? reply.parameters(as: Answer.self) else { throw .unreadable }
                receive(answer, ending: reply.continues ? nil : .ended, at: now)
            }
        } catch {
            perform(session.lose(error, at: now))
        }
    }

    private func receive(_ answer: Answer, ending: DaemonCall.Failure?, at now: BootInstant) {
        if session.failure != nil { log?.end() }
        perform(session.receive(answer, ending: ending, at: now))
    }
}

extension DaemonCall.Failure {
    fileprivate static var silence: Self { Self(description: "locationd does not answer", isUnreachable: true) }
    fileprivate static var unreadable: Self { Self(description: "locationd sends an unknown reply") }
    fileprivate static var ended: Self { Self(description: "locationd has ended the call", isUnreachable: true) }

    fileprivate init(refusal: Reply) {
        self.init(description: "locationd refuses: \(refusal.error ?? "")")
        self.refusal = refusal
    }
}
