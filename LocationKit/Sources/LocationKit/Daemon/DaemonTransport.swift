@_spi(Programs) import LocationInterface
@_spi(Programs) public import LocationModel
import Synchronization
@_spi(Programs) import SystemSupport

/// Connects all managers of this process to the daemon at one socket; they share its connections.
///
/// Ownership: the ``SharedWatches`` owns the connections and the list of clients and runs on the client
/// thread, which receives jobs in the order of the calls. If the client thread cannot be started, the failures wait
/// here, under a lock, for ``deliverPending()``; nothing is retried until the next call.
@_spi(Programs) public final class DaemonTransport: LocationTransport {
    @_spi(Programs) public let path: String
    private let thread: ClientThread
    private let driver: ClientThreadConfined<SharedWatches>
    /// The last status that the daemon returned, and when.
    let lastStatus = Mutex<(answer: ServiceStatus, moment: BootInstant)?>(nil)
    private let failures = Mutex<[@Sendable () -> Void]>([])

    /// A transport of its own, for tests; everybody else uses ``shared(at:)``.
    @_spi(Programs) public init(path: String, thread: ClientThread = .shared) {
        self.path = path
        self.thread = thread
        driver = ClientThreadConfined(SharedWatches(path: path))
    }

    private struct Entry {
        weak var service: DaemonTransport?
    }

    private static let services = Mutex<[String: Entry]>([:])

    /// The transport for that socket; it exists as long as somebody holds it.
    @_spi(Programs) public static func shared(at path: String) -> DaemonTransport {
        services.withLock { services in
            if let service = services[path]?.service { return service }
            let service = DaemonTransport(path: path)
            services[path] = Entry(service: service)
            return service
        }
    }

    deinit {
        // Another instance may be registered by now. It must not be deinitialized under the lock, should its last
        // holder release it meanwhile.
        let other = Self.services.withLock { [path] services in
            let other = services[path]?.service
            if other == nil { services[path] = nil }
            return other
        }
        withExtendedLifetime(other) {}
    }

    @_spi(Programs) public var now: BootInstant { MachineClock.now }

    @_spi(Programs) public func setInterest(_ interest: Interest, of client: any TransportClient) {
        // Clearing the interest must not retain the client, which may be in deinitialization.
        guard !interest.isEmpty else {
            let client = ObjectIdentifier(client)
            return thread.performIfRunning { [driver] loop in driver(loop).endInterest(of: client, loop) }
        }
        perform { driver, loop in
            driver.setInterest(interest, of: client, loop)
        } orElse: {
            client.receive(.disconnected(.noThread))
        }
    }

    @_spi(Programs) public func scheduleWakeUp(of client: any TransportClient, at moment: BootInstant?) {
        let identity = ObjectIdentifier(client)
        guard let moment else {
            return thread.performIfRunning { [driver] loop in
                driver(loop).scheduleWakeUp(of: identity, at: nil, loop) {}
            }
        }
        _ = thread.perform { [driver, weak client] loop in
            driver(loop).scheduleWakeUp(of: identity, at: moment, loop) { client?.wakeUp() }
        }
    }

    @_spi(Programs) public func lastLocation(
        maximumAge: Double, answer: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) -> any CancellableCall {
        // JSON cannot express more.
        let maximumAge = maximumAge.isNaN ? 0 : max(0, min(1e9, maximumAge))
        let parameters = LocationRequest(maximumAge: maximumAge, timeout: 0, passive: true)
        return joinCall({ $0.locationCalls }, parameters) { result, _ in
            answer(result.map { $0.location.value.arrived(by: MachineClock.now) })
        }
    }

    @_spi(Programs) public func requestAuthorization(
        _ level: AuthorizationLevel, fullAccuracy: Bool, purpose: String?,
        answer: @escaping @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void
    ) -> any CancellableCall {
        let asked: RequestAuthorizationParameters.Level =
            switch level {
            case .whenInUse: .whenInUse
            case .always: .always
            }
        let parameters = RequestAuthorizationParameters(
            level: asked, purpose: purpose, fullAccuracy: fullAccuracy,
            program: OwnProgram.name(limit: ServedProgram.labelLimit))
        return joinCall({ $0.authorizationCalls }, parameters) { result, isLast in answer(result.map(\.status), isLast)
        }
    }

    @_spi(Programs) public func deliverPending() {
        let failures = failures.withLock { failures in
            defer { failures = [] }
            return failures
        }
        for failure in failures { failure() }
    }

    private func joinCall<Parameters, Answer>(
        _ calls: @escaping @Sendable (SharedWatches) -> SharedCalls<Parameters, Answer>,
        _ parameters: Parameters, _ receive: @escaping @Sendable (Result<Answer, LocationError>, Bool) -> Void
    ) -> any CancellableCall where Parameters: Sendable, Answer: Sendable {
        let call = SharedCallMembership { [thread, driver] call in
            thread.performIfRunning { loop in calls(driver(loop)).leave(parameters, call, loop) }
        }
        perform { driver, loop in
            calls(driver).join(parameters, call, loop, receive)
        } orElse: {
            receive(.failure(.noThread), true)
        }
        return call
    }

    private func perform(
        _ job: @escaping @Sendable (SharedWatches, ClientLoop) -> Void,
        orElse failure: @escaping @Sendable () -> Void
    ) {
        let isPerformed = thread.perform { [driver] loop in job(driver(loop), loop) }
        if !isPerformed { failures.withLock { $0.append(failure) } }
    }

    /// One caller's membership in a shared call.
    private final class SharedCallMembership: CancellableCall {
        private let leave: @Sendable (SharedCallMembership) -> Void

        init(_ leave: @escaping @Sendable (SharedCallMembership) -> Void) {
            self.leave = leave
        }

        func cancel() {
            leave(self)
        }
    }
}

extension DaemonTransport {
    /// Seconds that a call may take while a thread of the caller is blocked.
    @TaskLocal @_spi(Programs) public static var briefTimeout = 0.25

    /// When hundreds of managers ask at once, the daemon's rate limit for their user refuses some calls, or the answer
    /// is late; these callers get the status that the others have just received.
    @_spi(Programs) public func status() throws(LocationError) -> ServiceStatus {
        do throws(LocationError) {
            let status = try fetchStatus()
            lastStatus.withLock { $0 = (status, now) }
            return status
        } catch {
            guard isOverload(error), let last = lastStatus.withLock({ $0 }),
                now.seconds(since: last.moment) < statusLifetime
            else { throw error }
            return last.answer
        }
    }

    /// Whether the error is one that an overloaded daemon causes. Most callers that it rejects get no error reply, only
    /// a closed connection or silence.
    private func isOverload(_ error: LocationError) -> Bool {
        switch error {
        case .tooManyClients, .tooManyRequests, .disconnected: true
        default: error == .silent(at: path) || error == .busy(at: path)
        }
    }

    private func fetchStatus() throws(LocationError) -> ServiceStatus {
        try VarlinkConnection.callBriefly(LocationInterface.Method.getStatus, at: path, as: StatusReply.self).status
    }
}

extension VarlinkConnection {
    /// Calls on a connection of its own, and waits for at most ``DaemonTransport/briefTimeout``.
    static func callBriefly<Answer: Decodable>(
        _ method: String, at path: String, as type: Answer.Type
    ) throws(LocationError) -> Answer {
        guard let waker = Waker() else { throw .noThread }
        let (patience, start) = (DaemonTransport.briefTimeout, MachineClock.now)
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: path, waker: waker, seconds: patience)
            return try connection.call(
                method, as: type, seconds: max(0.001, patience - MachineClock.now.seconds(since: start)))
        } catch .timedOut {
            throw .silent(at: path)
        }
    }
}
