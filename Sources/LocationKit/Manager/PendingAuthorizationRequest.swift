import LocationModel

/// Somebody waits for the decision whether this program may know the position.
struct PendingAuthorizationRequest {
    typealias Answer = @Sendable (Result<Bool, LocationError>) -> Void

    let level: AuthorizationLevel
    /// Whether to start updating once any level is granted.
    let startUpdating: Bool
    let answer: Answer
    /// Who is to answer: without a manager or a call nobody else keeps it until the service is asked again.
    let keeper: ManagerCore
    /// The asking; `nil` while the service is gone.
    var call: (any CancellableCall)?
    /// When the service is to be asked again after it was gone; `nil` while it is asked.
    private(set) var retry: BootInstant?
    private var delay = 1.0
    private var hasHeard = false

    init(level: AuthorizationLevel, startUpdating: Bool, keeper: ManagerCore, answer: @escaping Answer) {
        self.level = level
        self.startUpdating = startUpdating
        self.keeper = keeper
        self.answer = answer
    }

    /// The service knows of the request.
    mutating func hear() {
        hasHeard = true
        delay = 1
    }

    /// A decision may take days, over which a daemon is restarted: a service that knew of the request is asked again,
    /// after 1 s and then half a minute at most.
    ///
    /// - Returns: false if the error is to be told.
    mutating func survives(_ error: LocationError, at now: BootInstant) -> Bool {
        switch error {
        case .disconnected, .daemonNotRunning:
            guard hasHeard else { return false }
            call = nil
            retry = now.advanced(bySeconds: delay)
            delay = min(30, 2 * delay)
            return true
        default: return false
        }
    }

    /// The service is asked again.
    mutating func ask(by call: any CancellableCall) {
        self.call = call
        retry = nil
    }
}
