@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore

/// The calls that wait for what the daemon says of their users, and what it has said lately. Pure.
///
/// The daemon is asked once at a time for each user, however many calls and programs want to know, and its answer
/// serves the calls of the next second too.
struct StatusCalls {
    /// How long an answer is given again.
    static let lifetime = TimeAmount.seconds(1)
    /// The most calls of one user that wait at once.
    static let waitingPerUser = 64

    /// A call and the name of the property that it asks for; `nil` for all properties.
    typealias Waiting = (call: GeoClueCall, name: String?)

    enum Reply {
        case known(ServiceStatus?)
        /// The call waits; the daemon is to be asked if it is the first.
        case waits(asks: Bool)
        case tooMany
    }

    private struct User {
        var waiting: [Waiting] = []
        var isAsked = false
        var answer: ServiceStatus?
        /// Until then the answer is given again; `nil` if there was none yet.
        var end: NIODeadline?
    }

    private var users: [UInt32: User] = [:]

    var isEmpty: Bool { users.values.allSatisfy { $0.waiting.isEmpty && !$0.isAsked } }

    mutating func add(_ call: GeoClueCall, _ name: String?, of uid: UInt32, at now: NIODeadline) -> Reply {
        var user = users[uid] ?? User()
        if let end = user.end, now < end { return .known(user.answer) }
        guard user.waiting.count < Self.waitingPerUser else { return .tooMany }
        let asks = !user.isAsked
        user.isAsked = true
        user.waiting.append((call, name))
        if users[uid] == nil { forgetOld(at: now) }
        users[uid] = user
        return .waits(asks: asks)
    }

    /// - Parameter status: the daemon's answer; `nil` if it cannot be reached or refuses.
    /// - Returns: the calls to answer.
    mutating func apply(_ status: ServiceStatus?, of uid: UInt32, at now: NIODeadline) -> [Waiting] {
        guard let user = users[uid], user.isAsked else { return [] }
        users[uid] = User(answer: status, end: now + Self.lifetime)
        return user.waiting
    }

    /// The program has left.
    mutating func removeCalls(of sender: String, uid: UInt32) {
        users[uid]?.waiting.removeAll { $0.call.sender == sender }
    }

    private mutating func forgetOld(at now: NIODeadline) {
        users = users.filter { $0.value.isAsked || ($0.value.end ?? now) > now }
    }
}
