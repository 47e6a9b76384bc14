@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Varlink

/// What a connection is for.
extension ClientConnection {
    typealias Ask = LocationInterface.Method

    /// Calls a method that has one reply.
    /// - Throws: the `LocationError` that is answered.
    func call<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), as type: Answer.Type = NoParameters.self
    ) throws -> Answer {
        try send(method, parameters)
        return try next().answer()
    }

    func status() throws -> ServiceStatus {
        try call(Ask.getStatus, as: StatusReply.self).status
    }

    func location() throws -> Location {
        try call(Ask.getLocation, LocationRequest(), as: LocationReply.self).location.value
    }

    /// Why no location is given to who asks.
    func refusal() throws -> LocationError? {
        do {
            _ = try location()
            return nil
        } catch let error as LocationError {
            return error
        }
    }

    /// Asks to be let in; with `more`, the decision is a further reply.
    func ask(
        for level: RequestAuthorizationParameters.Level = .always, purpose: String? = nil, more: Bool = false
    ) throws -> ServiceStatus {
        try send(Ask.requestAuthorization, RequestAuthorizationParameters(level: level, purpose: purpose), more: more)
        return try nextStatus(continues: more)
    }

    /// The next reply to ``ask(for:purpose:more:)``.
    func nextStatus(continues: Bool) throws -> ServiceStatus {
        let reply = try next()
        let status = try reply.answer(as: StatusReply.self).status
        guard reply.continues == continues else { throw Failure("the reply goes on: \(reply.continues)") }
        return status
    }

    /// Opens a watch.
    /// - Returns: its first reply.
    @discardableResult
    func watch(_ parameters: WatchRequest = WatchRequest()) throws -> WatchReply {
        try send(Ask.watch, parameters, more: true)
        return try next().answer()
    }

    /// Reads on in a watch until a reply fits.
    @discardableResult
    func awaitReply(_ fits: (WatchReply) -> Bool) throws -> WatchReply {
        while true {
            let reply = try next().answer(as: WatchReply.self)
            if fits(reply) { return reply }
        }
    }

    @discardableResult
    func awaitLocation() throws -> Location {
        guard let location = try awaitReply({ $0.location != nil }).location else { throw Failure("no location") }
        return location.value
    }

    /// Reads on until a status with that authorization comes.
    @discardableResult
    func awaitStatus(_ authorization: AuthorizationStatus) throws -> ServiceStatus {
        guard let status = try awaitReply({ $0.status?.authorization == authorization }).status else {
            throw Failure("no status")
        }
        return status
    }

    /// What a watch is told while another one, which may know, gets two more fixes: the daemon tells everybody of a
    /// fix before it takes the next, so that nothing more of the first can be on its way.
    func replies(duringFixesOf other: Watcher) throws -> [WatchReply] {
        try other.awaitLocation(after: other.replies.count)
        try other.awaitLocation(after: other.replies.count)
        return try waiting().map { try $0.answer() }
    }
}
