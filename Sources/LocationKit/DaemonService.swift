import LocationInterface
package import LocationModel
import Synchronization
import SystemClock
import SystemSupport

/// The daemon at one socket, for all managers of this process: they share its connections.
///
/// Ownership: what is open, and who is told, is the ``DaemonSession``'s, on the client thread; jobs reach it in the
/// order of the calls. Where there can be no client thread the failures wait here, under a lock, for ``settle()``; nothing
/// is tried again then until the next call.
package final class DaemonService: LocationService {
    package let path: String
    private let thread: ClientThread
    private let session: OnClientThread<DaemonSession>
    /// The last state it answered, and when.
    let lastStatus = Mutex<(answer: ServiceStatus, moment: BootInstant)?>(nil)
    private let failures = Mutex<[@Sendable () -> Void]>([])

    /// One by itself, for tests; ``at(_:)`` is for everybody else.
    package init(path: String, thread: ClientThread = .shared) {
        self.path = path
        self.thread = thread
        session = OnClientThread(DaemonSession(path: path))
    }

    private struct Entry {
        weak var service: DaemonService?
    }

    private static let services = Mutex<[String: Entry]>([:])

    /// The one for that socket; it is there for as long as somebody holds it.
    package static func at(_ path: String) -> DaemonService {
        services.withLock { services in
            if let service = services[path]?.service { return service }
            let service = DaemonService(path: path)
            services[path] = Entry(service: service)
            return service
        }
    }

    deinit {
        // Another may be there already; it must not end under the lock if its last holder lets go meanwhile.
        let other = Self.services.withLock { [path] services in
            let other = services[path]?.service
            if other == nil { services[path] = nil }
            return other
        }
        withExtendedLifetime(other) {}
    }

    package var now: BootInstant { MachineClock.now }

    package func wish(_ wish: Wish, of client: any ServiceClient) {
        // The end of a wish must hold nobody: it may come while the client is being released.
        guard !wish.isEmpty else {
            let client = ObjectIdentifier(client)
            return thread.performIfRunning { [session] loop in session(loop).endWish(of: client, loop) }
        }
        perform { session, loop in
            session.wish(wish, of: client, loop)
        } orElse: {
            client.receive(.disconnected(.noThread))
        }
    }

    package func wake(_ client: any ServiceClient, at moment: BootInstant?) {
        let identity = ObjectIdentifier(client)
        guard let moment else {
            return thread.performIfRunning { [session] loop in session(loop).wake(identity, at: nil, loop) {} }
        }
        _ = thread.perform { [session, weak client] loop in
            session(loop).wake(identity, at: moment, loop) { client?.timeIsUp() }
        }
    }

    package func lastLocation(
        maximumAge: Double, answer: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) -> any ServiceCall {
        // No more than JSON can say.
        let maximumAge = maximumAge.isNaN ? 0 : max(0, min(1e9, maximumAge))
        let parameters = LocationRequest(maximumAge: maximumAge, timeout: 0, passive: true)
        return ask({ $0.locationCalls }, parameters) { result, _ in
            answer(result.map { $0.location.value.arrived(by: MachineClock.now) })
        }
    }

    package func requestAuthorization(
        _ level: AuthorizationLevel, purpose: String?,
        answer: @escaping @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void
    ) -> any ServiceCall {
        let asked: RequestAuthorizationParameters.Level =
            switch level {
            case .whenInUse: .whenInUse
            case .always: .always
            }
        let parameters = RequestAuthorizationParameters(level: asked, purpose: purpose)
        return ask({ $0.authorizationCalls }, parameters) { result, isLast in answer(result.map(\.status), isLast) }
    }

    package func settle() {
        let failures = failures.withLock { failures in
            defer { failures = [] }
            return failures
        }
        for failure in failures { failure() }
    }

    private func ask<Parameters, Answer>(
        _ calls: @escaping @Sendable (DaemonSession) -> SharedCalls<Parameters, Answer>,
        _ parameters: Parameters, _ receive: @escaping @Sendable (Result<Answer, LocationError>, Bool) -> Void
    ) -> any ServiceCall where Parameters: Sendable, Answer: Sendable {
        let call = Membership { [thread, session] call in
            thread.performIfRunning { loop in calls(session(loop)).leave(parameters, call, loop) }
        }
        perform { session, loop in
            calls(session).join(parameters, call, loop, receive)
        } orElse: {
            receive(.failure(.noThread), true)
        }
        return call
    }

    private func perform(
        _ job: @escaping @Sendable (DaemonSession, ClientLoop) -> Void, orElse failure: @escaping @Sendable () -> Void
    ) {
        let isPerformed = thread.perform { [session] loop in job(session(loop), loop) }
        if !isPerformed { failures.withLock { $0.append(failure) } }
    }

    /// One caller's part in a question of many.
    private final class Membership: ServiceCall {
        private let leave: @Sendable (Membership) -> Void

        init(_ leave: @escaping @Sendable (Membership) -> Void) {
            self.leave = leave
        }

        func cancel() {
            leave(self)
        }
    }
}
