@_spi(Programs) package import LocationInterface
package import NIOCore
import NIOPosix
package import Varlink

/// Connections to the daemon that further calls of the same program use: a user who opens and closes something again
/// and again costs the daemon no connection each time.
///
/// The daemon judges each call by the decisions and the policy of that moment, but by the groups that the user had when
/// the connection began. So a connection is used for ``lifetime`` only, however busy it is.
///
/// Ownership: everything belongs to the event loop.
package final class DaemonCallPool {
    private struct Key: Hashable {
        let daemon: String
        let uid: UInt32
        let unit: String?
        let label: String
        let transport: ServedProgram.Transport?

        init(_ daemon: String, _ program: ServedProgram) {
            (self.daemon, uid, unit, label) = (daemon, program.uid, program.unit, program.label)
            transport = program.transport
        }
    }

    /// A connection, and what receives the reply to its call.
    private final class Line {
        var connection: DaemonConnection?
        var receive: (DaemonConnection.Input) -> Void = { _ in }
        let end: NIODeadline

        init(end: NIODeadline) { self.end = end }

        func close() {
            connection?.close()
            connection = nil
        }
    }

    package typealias Completion = (Result<Reply, DaemonCall.Failure>) -> Void

    /// The time after which a connection begins no further call, and is closed once it is idle.
    package static let lifetime = TimeAmount.seconds(3)
    /// The most idle connections; beyond, one of them is closed.
    package static let limit = 32

    private let eventLoop: any EventLoop
    private var idle: [Key: Line] = [:]

    package init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - mayRepeat: whether the call may be made twice, if an idle connection ends before the reply: it changes
    ///     nothing.
    ///   - completion: called once, unless the call is cancelled.
    /// - Returns: cancels the call.
    package func call(
        _ call: [UInt8], for program: ServedProgram, at daemon: String, mayRepeat: Bool,
        completion: @escaping Completion
    ) -> () -> Void {
        let key = Key(daemon, program)
        var current: Line?
        let fresh = {
            let line = self.open(call, at: daemon)
            line.receive = { self.apply($0, of: line, key, completion) }
            current = line
        }
        let former = mayRepeat ? idle.removeValue(forKey: key) : nil
        let isUsable = former.map { eventLoop.now < $0.end } ?? false
        if !isUsable { former?.close() }
        if isUsable, let line = former {
            line.receive = { input in
                // The daemon may have been restarted since.
                if case .ended = input { fresh() } else { self.apply(input, of: line, key, completion) }
            }
            line.connection?.send(call)
            current = line
        } else {
            fresh()
        }
        return {
            current?.receive = { _ in }
            current?.close()
        }
    }

    private func open(_ call: [UInt8], at daemon: String) -> Line {
        let line = Line(end: eventLoop.now + Self.lifetime)
        line.connection = DaemonConnection(to: daemon, on: eventLoop, call: call) { line.receive($0) }
        return line
    }

    private func apply(_ input: DaemonConnection.Input, of line: Line, _ key: Key, _ completion: Completion) {
        line.receive = { _ in }
        switch input {
        case .reply(let reply) where !reply.continues:
            // After an error the daemon may serve the connection late, or not at all.
            if reply.error == nil { keepIdle(line, key) } else { line.close() }
            completion(.success(reply))
        case .reply, .update:
            line.close()
            completion(.failure(DaemonCall.Failure(description: "the service sends what is no answer")))
        case .ended(let reason):
            line.close()
            completion(.failure(DaemonCall.Failure(description: reason, isUnreachable: true)))
        }
    }

    /// Keeps a connection for the next call until its time is over.
    private func keepIdle(_ line: Line, _ key: Key) {
        guard eventLoop.now < line.end else { return line.close() }
        idle[key]?.close()
        if idle[key] == nil, idle.count >= Self.limit, let other = idle.keys.first { remove(other) }
        idle[key] = line
        // Whatever comes now, it is no reply.
        line.receive = { [weak self, weak line] _ in self?.remove(key, line) }
        eventLoop.assumeIsolated().scheduleTask(deadline: line.end) { [weak self, weak line] in
            self?.remove(key, line)
        }
    }

    private func remove(_ key: Key, _ line: Line? = nil) {
        guard let found = idle[key], line == nil || found === line else { return }
        idle[key] = nil
        found.close()
    }
}
