import Glibc
import Logging
import NIOCore
import SystemClock

/// What the connections of the service share: files, sessions, the feeds of users, and the services behind.
///
/// Ownership: everything belongs to the event loop.
final class WebSite {
    let check: RequestCheck
    let files: StaticFiles
    let gateway: CallGateway
    let tiles: WebSettings.Tiles?
    let maps: MapTiles
    let logger: Logger
    private let eventLoop: any EventLoop
    private var sessions = WebSessions()
    private var feeds: [UInt32: LiveFeed] = [:]
    private var comments: RepeatedTask?
    /// Calls of each user that are not answered yet.
    private var calls: [UInt32: Int] = [:]

    /// Calls of one user at a time: the services behind take all users of the pages for one, and a track takes memory.
    private static let callLimit = 8
    /// Seconds between two comments that keep a live connection open.
    private static let commentInterval = TimeAmount.seconds(15)

    init(
        _ settings: WebSettings, check: RequestCheck, files: StaticFiles, eventLoop: any EventLoop, logger: Logger
    ) {
        (self.check, self.files, self.eventLoop, self.logger) = (check, files, eventLoop, logger)
        tiles = settings.tiles
        maps = MapTiles(in: settings.mapFolder)
        for mistake in maps.mistakes { logger.warning("a map cannot be used", metadata: ["reason": "\(mistake)"]) }
        gateway = CallGateway(
            sockets: .init(daemon: settings.daemon, history: settings.history, places: settings.places))
        let site = NIOLoopBound(self, eventLoop: eventLoop)
        comments = eventLoop.scheduleRepeatedTask(
            initialDelay: Self.commentInterval, delay: Self.commentInterval
        ) { _ in site.value.tick() }
    }

    // MARK: Sessions

    func addLink(for principal: WebSessions.Principal) -> String {
        let token = RandomToken.text()
        sessions.addLink(token, for: principal, at: MachineClock.now)
        return token
    }

    /// - Returns: the session's number; `nil` if the link cannot be opened any more.
    func open(_ token: String, browser: UInt32?) -> String? {
        let id = RandomToken.text()
        return sessions.open(token, as: id, browser: browser, at: MachineClock.now) ? id : nil
    }

    func principal(_ id: String?, browser: UInt32?) -> WebSessions.Principal? {
        id.flatMap { sessions.use($0, browser: browser, at: MachineClock.now) }?.principal
    }

    func endSession(_ id: String) {
        sessions.end(id)
        closePagesWithoutSession()
    }

    /// An open page counts as a use of its session.
    private func closePagesWithoutSession() {
        for page in feeds.values.flatMap({ Array($0.pages.values) })
        where principal(page.session, browser: page.browser) == nil { page.close() }
    }

    // MARK: Calls

    /// - Returns: whether the user may have another call answered now.
    func beginCall(of uid: UInt32) -> Bool {
        guard calls[uid, default: 0] < Self.callLimit else { return false }
        calls[uid, default: 0] += 1
        return true
    }

    func endCall(of uid: UInt32) {
        let left = calls[uid, default: 1] - 1
        calls[uid] = left > 0 ? left : nil
    }

    // MARK: Live pages

    func add(_ page: LivePage, of uid: UInt32) throws {
        let feed: LiveFeed
        if let present = feeds[uid] {
            feed = present
        } else {
            feed = try LiveFeed(uid: uid, daemon: gateway.sockets.daemon, eventLoop: eventLoop, logger: logger)
            feeds[uid] = feed
        }
        feed.add(page)
    }

    func remove(_ page: LivePage, of uid: UInt32) {
        guard let feed = feeds[uid] else { return }
        feed.remove(page)
        if feed.isEmpty { feeds[uid] = nil }
    }

    /// Changes the regions that a user has drawn, which needs one of the user's pages to be open.
    func change(_ change: RegionChange, of uid: UInt32, done: @escaping (CallGateway.Answer?) -> Void) {
        guard let regions = feeds[uid]?.regions else { return done(.failure(409, "no page is open")) }
        regions.change(change, done: done)
    }

    private func tick() {
        closePagesWithoutSession()
        for feed in feeds.values { feed.sendComments() }
    }

    func end() {
        comments?.cancel()
        for feed in feeds.values { feed.end() }
        feeds = [:]
    }
}

/// What the service is set to.
package struct WebSettings: Sendable, Hashable {
    /// Where map images come from, which the browser loads from there.
    package struct Tiles: Sendable, Hashable, Codable {
        package var url: String
        package var attribution: String

        package init(url: String, attribution: String) { (self.url, self.attribution) = (url, attribution) }
    }

    /// The daemon's control socket.
    package var daemon = "/run/locationd/control.sock"
    package var history = "/run/locationd-history/history.sock"
    package var places = "/run/locationd/places.sock"
    /// Further hosts by which the pages may be opened, as of a proxy.
    package var hosts: [String] = []
    package var tiles: Tiles?
    /// The folder of map images in the form of MBTiles.
    package var mapFolder = "/var/lib/locationd-web/maps"
    /// Connections, in all and of one user.
    package var connections = 1024
    package var connectionsPerUser = 512

    package init() {}
}

enum RandomToken {
    /// 256 bits by the kernel, in hexadecimal digits.
    static func text() -> String {
        (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension WebSite {
    /// Content Security Policy Level 3: scripts and styles are our files alone, and images too but for the map's.
    var contentPolicy: String {
        let tileOrigin = tiles.flatMap { URLOrigin.of($0.url) }.map { " \($0)" } ?? ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:\(tileOrigin); "
            + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
}

/// The scheme, host and port of a URL.
package enum URLOrigin {
    /// - Returns: `nil` if the text is no http or https URL. A first label with `{s}`, one of several hosts, becomes `*`: Content
    ///   Security Policy has no other pattern.
    package static func of(_ url: String) -> String? {
        let pattern = /(https?:\/\/)([A-Za-z0-9\-]*\{s\}[A-Za-z0-9\-]*(?=\.))?([A-Za-z0-9.\-]+(?::[0-9]{1,5})?)\/\S*/
        return url.wholeMatch(of: pattern).map { "\($0.1)\($0.2 == nil ? "" : "*")\($0.3)" }
    }
}
