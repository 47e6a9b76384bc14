import LocationInterface
import LocationModel

/// A watch of a ``DaemonLink``, and what it has told last.
struct LinkedWatch {
    let parameters: WatchRequest
    /// When its first answer has to be there; `nil` once it is.
    private(set) var answerDue: BootInstant?
    private(set) var status: ServiceStatus?
    /// Not kept where it may not be known any more.
    private(set) var location: Location?

    init(parameters: WatchRequest, answerDue: BootInstant) {
        self.parameters = parameters
        self.answerDue = answerDue
    }

    /// True once the daemon has answered.
    var isOpen: Bool { answerDue == nil }

    mutating func take(_ reply: WatchReply) {
        answerDue = nil
        if let status = reply.status {
            self.status = status
            if !status.enabled || !AuthorizationLevel.whenInUse.isGranted(by: status.authorization) { location = nil }
        }
        if let location = reply.location?.value { self.location = location }
    }
}
