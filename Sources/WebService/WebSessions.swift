package import LocationModel

/// Who may use the pages: links that open once, and the sessions that they open.
///
/// Pure: moments and random numbers come from the caller.
package struct WebSessions: Sendable {
    /// Who acts on the pages.
    package struct Principal: Sendable, Hashable {
        /// The user who asked for the link: everything is done on behalf of this user.
        package var uid: UInt32
        /// Whether the user may use the daemon's control socket.
        package var isAdministrator: Bool
        /// The user's name, where the machine knows one.
        package var name: String?

        package init(uid: UInt32, isAdministrator: Bool, name: String? = nil) {
            (self.uid, self.isAdministrator, self.name) = (uid, isAdministrator, name)
        }
    }

    package struct Session: Sendable, Hashable {
        package let principal: Principal
        /// The user who owns the browser's connection, where the kernel names one: nobody else can use the session.
        package let browser: UInt32?
        fileprivate var lastUse: BootInstant
    }

    /// Seconds in which a link may be opened.
    package static let linkLifetime = 60.0
    /// Seconds without use after which a session ends.
    package static let sessionLifetime = 12 * 3600.0
    /// Links and sessions of one user, at most; the oldest go first.
    package static let limitPerUser = 64

    private var links: [String: (principal: Principal, creation: BootInstant)] = [:]
    private var sessions: [String: Session] = [:]

    package init() {}

    /// - Parameter token: a new random token, which opens a session once.
    package mutating func addLink(_ token: String, for principal: Principal, at now: BootInstant) {
        links = links.filter { now.seconds(since: $0.value.creation) < Self.linkLifetime }
        let own = links.filter { $0.value.principal.uid == principal.uid }
        if own.count >= Self.limitPerUser, let oldest = own.min(by: { $0.value.creation < $1.value.creation }) {
            links[oldest.key] = nil
        }
        links[token] = (principal, now)
    }

    /// Opens a link, which nobody can do again.
    ///
    /// - Parameters:
    ///   - id: a new random number for the session.
    ///   - browser: who owns the connection; `nil` if the kernel does not say, as behind a proxy.
    /// - Returns: whether there is a session.
    package mutating func open(_ token: String, as id: String, browser: UInt32?, at now: BootInstant) -> Bool {
        guard let link = links.removeValue(forKey: token), now.seconds(since: link.creation) < Self.linkLifetime
        else { return false }
        sessions = sessions.filter { now.seconds(since: $0.value.lastUse) < Self.sessionLifetime }
        let own = sessions.filter { $0.value.principal.uid == link.principal.uid }
        if own.count >= Self.limitPerUser, let oldest = own.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            sessions[oldest.key] = nil
        }
        sessions[id] = Session(principal: link.principal, browser: browser, lastUse: now)
        return true
    }

    /// The session of a request; `nil` if there is none, or it is another browser's.
    package mutating func use(_ id: String, browser: UInt32?, at now: BootInstant) -> Session? {
        guard var session = sessions[id] else { return nil }
        guard now.seconds(since: session.lastUse) < Self.sessionLifetime else {
            sessions[id] = nil
            return nil
        }
        guard session.browser == browser else { return nil }
        session.lastUse = now
        sessions[id] = session
        return session
    }

    package mutating func end(_ id: String) { sessions[id] = nil }
}
