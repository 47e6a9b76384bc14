import Glibc
import Logging
import NIOCore
import ServiceServer
@_spi(Programs) import SystemSupport

/// What the connections of the service share: files, sessions, the feeds of users, and the services behind.
///
/// Ownership: everything belongs to the event loop.
/// It has a property for each of them.
final class WebSite {
    let check: RequestCheck
    let files: StaticFiles
    let gateway: CallGateway
    let tiles: WebSettings.Tiles?
    let maps: MapTiles
    /// The header of every answer.
    let contentPolicy: String
    let logger: Logger
    private let log: OutageLog
    private let eventLoop: any EventLoop
    private var sessions: WebSessions
    private var feeds: [UInt32: LiveFeed] = [:]
    private var relays: [ObjectIdentifier: DeviceRelay] = [:]
    private let fleet: String
    private var comments: RepeatedTask?
    let shares: UserShares
    let largeAnswers: LargeAnswerTurns
    let connections: ConnectionTable
    private let pagesPerUser: Int
    /// As of ``WebSettings``.
    let arrivalTime: TimeAmount
    let idleTime: TimeAmount
    private let regionsTime: Double

    /// Lists of devices at a time, as many as the socket's unit lets connect: each is a process, and a client of the
    /// broker.
    private static let relayLimit = 8

    init(
        _ settings: WebSettings, check: RequestCheck, files: StaticFiles, eventLoop: any EventLoop, logger: Logger
    ) {
        (self.check, self.files, self.eventLoop, self.logger) = (check, files, eventLoop, logger)
        log = OutageLog(logger)
        (tiles, fleet) = (settings.tiles, settings.fleet)
        shares = UserShares(settings, on: eventLoop)
        largeAnswers = LargeAnswerTurns(limit: settings.tracks)
        sessions = WebSessions(linkLifetime: settings.linkLifetime)
        connections = ConnectionTable(
            .init(
                total: settings.connections, perUser: settings.connectionsPerUser,
                strangers: settings.connectionsWithoutSession))
        pagesPerUser = settings.pagesPerUser
        arrivalTime = .nanoseconds(Int64(settings.arrivalTime * 1e9))
        regionsTime = settings.regionsTime
        idleTime = .nanoseconds(Int64(settings.idleTime * 1e9))
        contentPolicy = ContentPolicy.text(tiles: settings.tiles)
        maps = MapTiles(in: settings.mapFolder)
        for mistake in maps.mistakes { logger.warning("a map cannot be used", metadata: ["reason": "\(mistake)"]) }
        gateway = CallGateway(
            sockets: .init(
                daemon: settings.daemon, history: settings.history, places: settings.places, nearby: settings.nearby))
        let site = NIOLoopBound(self, eventLoop: eventLoop)
        let interval = TimeAmount.nanoseconds(Int64(settings.reviewInterval * 1e9))
        comments = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in site.value.tick() }
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
            feed = try LiveFeed(
                uid: uid, daemon: gateway.sockets.daemon, patience: regionsTime, eventLoop: eventLoop, log: log)
            feeds[uid] = feed
        }
        feed.add(page)
    }

    func remove(_ page: LivePage, of uid: UInt32) {
        guard let feed = feeds[uid] else { return }
        feed.remove(page)
        if feed.isEmpty { feeds[uid] = nil }
    }

    // MARK: Services that may be there

    /// Whether places can be learned by their access points.
    var hasNearby: Bool { access(gateway.sockets.nearby, F_OK) == 0 }

    var hasFleet: Bool { access(fleet, F_OK) == 0 }

    var hasHistory: Bool { access(gateway.sockets.history, F_OK) == 0 }

    var hasPlaces: Bool { access(gateway.sockets.places, F_OK) == 0 }

    // MARK: Devices of a fleet

    /// - Returns: whether there may be another one.
    func add(_ relay: DeviceRelay) -> Bool {
        guard relays.count < Self.relayLimit else { return false }
        relays[ObjectIdentifier(relay)] = relay
        review(relay) { [fleet] in $0.start(at: fleet) }
        return true
    }

    /// Ends a list whose reader is no administrator any more. The daemon is asked, because a session does not hear of
    /// it.
    private func review(_ relay: DeviceRelay, admitted: @escaping (DeviceRelay) -> Void = { _ in }) {
        guard let principal = principal(relay.session, browser: relay.browser) else { return relay.close() }
        guard principal.token != nil else { return admitted(relay) }
        let (gateway, eventLoop) = (gateway, eventLoop)
        let review = NIOLoopBound((site: self, relay: relay, admitted: admitted), eventLoop: eventLoop)
        Task {
            let mayAdminister = await gateway.mayAdminister(principal)
            eventLoop.execute {
                let (site, relay, admitted) = review.value
                // The page may have gone meanwhile.
                guard site.relays[ObjectIdentifier(relay)] != nil else { return }
                guard mayAdminister else {
                    return relay.end(
                        "the daemon does not take you for an administrator any more; `locctl web` gives a new link")
                }
                admitted(relay)
            }
        }
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
        for relay in Array(relays.values) {
            relay.sendComment()
            review(relay)
        }
    }

    func end() {
        comments?.cancel()
        for feed in feeds.values { feed.end() }
        feeds = [:]
        for relay in Array(relays.values) { relay.close() }
    }
}
