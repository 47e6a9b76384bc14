@_spi(Programs) package import LocationModel

/// Who may use the pages: links that open once, and the sessions that they open.
///
/// A link opens for one user's browser, which alone can use the session. For another browser it is as if there were no
/// such link: it is not used up, and the answer is the same.
///
/// Pure: moments and random numbers come from the caller.
package struct WebSessions: Sendable {
    /// Who acts on the pages.
    package struct Principal: Sendable, Hashable {
        /// The user who asked for the link: everything is done on behalf of this user.
        package var uid: UInt32
        /// Whether the pages administer the service.
        package var isAdministrator: Bool
        /// The user's name, where the machine knows one.
        package var name: String?
        /// The daemon's token with which calls of an administrator are made; `nil` if this service may make them
        /// itself.
        package var token: String?

        package init(uid: UInt32, isAdministrator: Bool, name: String? = nil, token: String? = nil) {
            (self.uid, self.isAdministrator, self.name, self.token) = (uid, isAdministrator, name, token)
        }
    }

    /// Whose browser it is that is connected, as far as the kernel says.
    package enum Browser: Sendable, Hashable {
        /// The owner of a connection on this machine.
        case user(UInt32)
        /// It comes through a proxy, whose user says nothing of the browser's: a link and a cookie are the only
        /// evidence there.
        case behindProxy
        /// The kernel does not name the owner: there is nothing that such a browser may do.
        case unknown

        /// The connection's owner, where the kernel names one.
        package var uid: UInt32? { if case .user(let uid) = self { uid } else { nil } }
    }

    package struct Session: Sendable, Hashable {
        package let principal: Principal
        /// The browser that has opened it: no other can use it.
        package let browser: Browser
        fileprivate let creation: BootInstant
        fileprivate var lastUse: BootInstant

        fileprivate func isOver(at now: BootInstant) -> Bool {
            let lifetime = WebSessions.sessionLifetime
            // The daemon's token is good for as long, however much it is used.
            return now.seconds(since: lastUse) >= lifetime
                || principal.token != nil && now.seconds(since: creation) >= lifetime
        }
    }

    private struct Link {
        let principal: Principal
        let opener: Browser
        let creation: BootInstant

        let end: BootInstant

        func isOver(at now: BootInstant) -> Bool { now >= end }
    }

    /// Seconds without use after which a session ends, and after which one with a daemon's token ends in any case.
    package static let sessionLifetime = 12 * 3600.0
    /// Links and sessions of one user, at most; the oldest go first.
    package static let limitPerUser = 64

    private let linkLifetime: Double
    private var links: [String: Link] = [:]
    private var sessions: [String: Session] = [:]

    /// - Parameter linkLifetime: seconds in which a link may be opened.
    package init(linkLifetime: Double = WebSettings().linkLifetime) { self.linkLifetime = linkLifetime }

    /// - Parameters:
    ///   - token: a new random token, which opens a session once.
    ///   - opener: whose browser may open it.
    package mutating func addLink(
        _ token: String, for principal: Principal, opener: Browser, at now: BootInstant
    ) {
        links = links.filter { !$0.value.isOver(at: now) }
        let own = links.filter { $0.value.principal.uid == principal.uid }
        if own.count >= Self.limitPerUser, let oldest = own.min(by: { $0.value.creation < $1.value.creation }) {
            links[oldest.key] = nil
        }
        links[token] = Link(
            principal: principal, opener: opener, creation: now, end: now.advanced(bySeconds: linkLifetime))
    }

    /// On whose behalf a link's session would be, without using it up; `nil` if this browser cannot open it.
    package func principal(ofLink token: String, for browser: Browser, at now: BootInstant) -> Principal? {
        guard browser != .unknown, let link = links[token], link.opener == browser, !link.isOver(at: now)
        else { return nil }
        return link.principal
    }

    /// Opens a link, which nobody can do again.
    ///
    /// - Parameter id: a new random number for the session.
    /// - Returns: whether there is a session.
    package mutating func open(_ token: String, as id: String, browser: Browser, at now: BootInstant) -> Bool {
        if links[token]?.isOver(at: now) == true { links[token] = nil }
        guard let principal = principal(ofLink: token, for: browser, at: now) else { return false }
        links[token] = nil
        sessions = sessions.filter { !$0.value.isOver(at: now) }
        let own = sessions.filter { $0.value.principal.uid == principal.uid }
        if own.count >= Self.limitPerUser, let oldest = own.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            sessions[oldest.key] = nil
        }
        sessions[id] = Session(principal: principal, browser: browser, creation: now, lastUse: now)
        return true
    }

    /// The session of a request; `nil` if there is none, or it is another browser's.
    package mutating func use(_ id: String, browser: Browser, at now: BootInstant) -> Session? {
        guard var session = sessions[id] else { return nil }
        guard !session.isOver(at: now) else {
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
