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
    /// The header of every answer.
    let contentPolicy: String
    let logger: Logger
    private let eventLoop: any EventLoop
    private var sessions = WebSessions()
    private var feeds: [UInt32: LiveFeed] = [:]
    private var relays: [ObjectIdentifier: DeviceRelay] = [:]
    private let fleet: String
    private var comments: RepeatedTask?
    let shares: UserShares
    let largeAnswers: LargeAnswerTurns
    let connections: ConnectionTable
    private let pagesPerUser: Int

    /// Lists of devices at a time, as many as the socket's unit lets connect: each is a process, and a client of the broker.
    private static let relayLimit = 8
    /// Seconds between two comments that keep a live connection open.
    private static let commentInterval = TimeAmount.seconds(15)

    init(
        _ settings: WebSettings, check: RequestCheck, files: StaticFiles, eventLoop: any EventLoop, logger: Logger
    ) {
        (self.check, self.files, self.eventLoop, self.logger) = (check, files, eventLoop, logger)
        (tiles, fleet) = (settings.tiles, settings.fleet)
        shares = UserShares(settings, on: eventLoop)
        largeAnswers = LargeAnswerTurns(limit: settings.tracks)
        connections = ConnectionTable(
            .init(
                total: settings.connections, perUser: settings.connectionsPerUser,
                strangers: settings.connectionsWithoutSession))
        pagesPerUser = settings.pagesPerUser
        contentPolicy = ContentPolicy.text(tiles: settings.tiles)
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

    func addLink(for principal: WebSessions.Principal, opener: WebSessions.Browser) -> String {
        let token = RandomToken.text()
        sessions.addLink(token, for: principal, opener: opener, at: MachineClock.now)
        return token
    }

    /// On whose behalf a link's session would be; `nil` if this browser cannot open it.
    func principal(ofLink token: String, for browser: WebSessions.Browser) -> WebSessions.Principal? {
        sessions.principal(ofLink: token, for: browser, at: MachineClock.now)
    }

    /// - Returns: the session's number; `nil` if this browser cannot open the link.
    func open(_ token: String, browser: WebSessions.Browser) -> String? {
        let id = RandomToken.text()
        return sessions.open(token, as: id, browser: browser, at: MachineClock.now) ? id : nil
    }

    func principal(_ id: String, browser: WebSessions.Browser) -> WebSessions.Principal? {
        sessions.use(id, browser: browser, at: MachineClock.now)?.principal
    }

    func endSession(_ id: String) {
        sessions.end(id)
        closePagesWithoutSession()
    }

    /// An open page counts as a use of its session.
    private func closePagesWithoutSession() {
        for page in feeds.values.flatMap({ Array($0.pages.values) })
        where principal(page.session, browser: page.browser) == nil { page.close() }
        for relay in Array(relays.values) where principal(relay.session, browser: relay.browser) == nil {
            relay.close()
        }
    }

    // MARK: Live pages

    /// Whether a user may have another page with live updates.
    func mayAddPage(of uid: UInt32) -> Bool { (feeds[uid]?.pages.count ?? 0) < pagesPerUser }

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

    // MARK: Devices of a fleet

    var hasFleet: Bool { access(fleet, F_OK) == 0 }

    /// - Returns: whether there may be another one.
    func add(_ relay: DeviceRelay) -> Bool {
        guard relays.count < Self.relayLimit else { return false }
        relays[ObjectIdentifier(relay)] = relay
        relay.start(at: fleet)
        return true
    }

    func remove(_ relay: DeviceRelay) {
        relays[ObjectIdentifier(relay)] = nil
        relay.close()
    }

    // MARK: Changes

    /// Changes the regions that a user has drawn, which needs one of the user's pages to be open.
    func change(_ calls: RegionCalls, of uid: UInt32, done: @escaping (CallGateway.Answer?) -> Void) {
        guard let regions = feeds[uid]?.regions else { return done(.failure(409, "no page is open")) }
        regions.change(calls, done: done)
    }

    private func tick() {
        closePagesWithoutSession()
        for feed in feeds.values { feed.sendComments() }
        for relay in relays.values { relay.sendComment() }
    }

    func end() {
        comments?.cancel()
        for feed in feeds.values { feed.end() }
        feeds = [:]
        for relay in Array(relays.values) { relay.close() }
    }
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
