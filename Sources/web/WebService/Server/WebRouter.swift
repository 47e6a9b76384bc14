@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
import NIOHTTP1

/// What each address of the site answers.
///
/// Ownership: everything belongs to the event loop.
struct WebRouter {
    enum Answer {
        case response(WebResponse)
        /// Server-sent events on behalf of this user, until the page leaves.
        case live(uid: UInt32, session: String, estimates: Bool)
        /// The devices of a fleet as server-sent events, until the page leaves.
        case devices(session: String)
        /// A change of the regions of this user, by a body that is not decoded yet.
        case regions([UInt8], uid: UInt32)
        /// What has to be asked of another service for this user; whether the answer may be large.
        case later(uid: UInt32, isLarge: Bool = false, isCounted: Bool = true, @Sendable () async -> WebResponse)
        /// A track as a file for this user.
        case track(TrackRequest, WebSessions.Principal)
    }

    private struct SessionReply: Encodable {
        let uid: UInt32
        /// The user's name, where the machine knows one.
        let user: String?
        let isAdministrator: Bool
        let tiles: WebSettings.Tiles?
        let maps: [MapTiles.Map]
        /// Whether this user may see the devices of a fleet, and there are any to be listed.
        let hasFleet: Bool
        /// Whether this user may say where the machine is, and `locationd-nearby` is there to remember it.
        let hasNearby: Bool
        /// Whether `locationd-history` runs, and `locationd-places` and the map's borders are installed: the pages ask
        /// for nothing that is not there.
        let hasHistory: Bool
        let hasPlaces: Bool
        let hasBorders: Bool
        let version: String
    }

    let site: WebSite

    /// - Parameter browser: whose it is, as far as the kernel says.
    func answer(_ request: WebRequest, browser: WebSessions.Browser) -> Answer {
        let isChange = request.method == .POST
        guard isChange || request.method == .GET || request.method == .HEAD else {
            return .response(.refused(.methodNotAllowed, "GET and POST are answered"))
        }
        let isPage = ["/", "/open"].contains(request.path)
        if let reason = site.check.refusal(request.origin, for: isChange ? .change : isPage ? .page : .part) {
            return .response(.refused(.forbidden, reason))
        }
        if !isChange, request.path == "/open" { return .response(open(request, browser)) }
        if !isChange, !isPage, let file = site.files[request.path] { return .response(response(file, request)) }
        if isChange, let response = confirmation(of: request, browser) { return .response(response) }
        guard let (id, principal) = session(of: request, browser) else { return .response(signedOut(isPage: isPage)) }
        return isChange ? change(request, id, principal) : read(request, id, principal)
    }

    /// The session of a request, the first that one of its cookies names and this browser may use.
    func session(
        of request: WebRequest, _ browser: WebSessions.Browser
    ) -> (id: String, principal: WebSessions.Principal)? {
        for id in request.cookies(named: SessionCookie.name(for: browser)) {
            if let principal = site.principal(id, browser: browser) { return (id, principal) }
        }
        return nil
    }

    func signedOut(isPage: Bool) -> WebResponse {
        guard isPage, let page = site.files["/signed-out.html"] else {
            return .refused(.unauthorized, "you are signed out; `locctl web` gives a new link")
        }
        return WebResponse(.forbidden, type: page.type, body: page.plain?.bytes ?? [])
    }

    private func read(_ request: WebRequest, _ id: String, _ principal: WebSessions.Principal) -> Answer {
        switch request.path {
        case "/":
            guard let page = site.files["/index.html"] else {
                return .response(.refused(.notFound, "the pages are not installed"))
            }
            return .response(response(page, request))
        case "/session":
            let reply = SessionReply(
                uid: principal.uid, user: principal.name, isAdministrator: principal.isAdministrator, tiles: site.tiles,
                maps: site.maps.maps, hasFleet: principal.isAdministrator && site.hasFleet,
                hasNearby: principal.isAdministrator && site.hasNearby, hasHistory: site.hasHistory,
                hasPlaces: site.hasPlaces, hasBorders: site.files["/base/world.geojson"] != nil,
                version: Release.version)
            return .response(WebResponse(.ok, body: WebJSON.bytes(reply) ?? []))
        case "/live":
            guard request.method == .GET else { return .response(WebResponse(.ok, type: "text/event-stream")) }
            return .live(uid: principal.uid, session: id, estimates: request.query["estimates"] == "1")
        case "/devices":
            guard principal.isAdministrator else {
                return .response(.refused(.forbidden, "this is for administrators"))
            }
            guard site.hasFleet else {
                return .response(.refused(.notFound, "enable locationd-fleet-devices.socket to see the fleet"))
            }
            guard request.method == .GET else { return .response(WebResponse(.ok, type: "text/event-stream")) }
            return .devices(session: id)
        case "/track.gpx":
            guard let track = Self.track(request.query) else {
                return .response(
                    .refused(.badRequest, "trip is a number, from and to are times such as 2026-11-24T08:00:00Z"))
            }
            return .track(track, principal)
        default:
            guard request.path.hasPrefix("/tiles/") else {
                return .response(.refused(.notFound, "there is nothing at this address"))
            }
            let (maps, path) = (site.maps, WebRequest.decoded(request.path.dropFirst(7)))
            return .later(uid: principal.uid) {
                let found: MapTiles.Tile?
                do { found = try await maps.tile(path[...]) } catch {
                    return .refused(.serviceUnavailable, "this map takes too long to read")
                }
                guard let tile = found else { return .refused(.notFound, "there is no such image") }
                var response = WebResponse(.ok, type: tile.type, body: tile.bytes)
                response.headers = [("Cache-Control", "private, max-age=86400")]
                return response
            }
        }
    }

    private func change(_ request: WebRequest, _ id: String, _ principal: WebSessions.Principal) -> Answer {
        if request.path == "/sign-out" {
            site.endSession(id)
            guard let token = principal.token else { return .response(WebResponse(.noContent)) }
            let gateway = site.gateway
            // It needs no place among the calls: a token must not outlive its session because the user is busy.
            return .later(uid: principal.uid, isCounted: false) {
                await gateway.revoke(token, of: principal)
                return WebResponse(.noContent)
            }
        }
        guard request.path.hasPrefix("/call/") || request.path == "/regions" else {
            return .response(.refused(.notFound, "there is nothing at this address"))
        }
        guard request.header("content-type")?.hasPrefix("application/json") == true else {
            return .response(.refused(.unsupportedMediaType, "the body is application/json"))
        }
        if request.path == "/regions" {
            return .regions(request.body, uid: principal.uid)
        }
        let (gateway, method) = (site.gateway, String(request.path.dropFirst(6)))
        return .later(uid: principal.uid, isLarge: CallGateway.large.contains(method)) {
            var response = WebResponse(await gateway.answer(method, request.body, for: principal))
            // Positions, and what is known of them, come in many lengths.
            response.body = AnswerPadding.padded(response.body)
            return response
        }
    }

    func response(_ file: StaticFiles.File, _ request: WebRequest) -> WebResponse {
        // Files may be compressed: they contain no secrets, which the length of a compressed answer could reveal.
        let compressed = request.acceptsGzip ? file.compressed : nil
        guard let content = compressed ?? file.plain else {
            return .refused(.notAcceptable, "this file is there as gzip alone")
        }
        let isKnown = request.header("if-none-match") == content.tag
        var response = WebResponse(isKnown ? .notModified : .ok, type: file.type)
        if !isKnown { response.file = content.buffer }
        response.headers = [("ETag", content.tag), ("Cache-Control", "no-cache")]
        if file.compressed != nil { response.headers.append(("Vary", "Accept-Encoding")) }
        if compressed != nil { response.headers.append(("Content-Encoding", "gzip")) }
        return response
    }

    private static func track(_ query: [String: String]) -> TrackRequest? {
        var request = TrackRequest()
        if let text = query["trip"] {
            guard let number = Int64(text) else { return nil }
            request.trip = number
        }
        for (name, member) in [("from", \TrackRequest.from), ("to", \TrackRequest.to)] {
            guard let text = query[name] else { continue }
            guard let moment = UTCTime(text) else { return nil }
            request[keyPath: member] = moment
        }
        request.includeSimulated = query["includeSimulated"] == "true" ? true : nil
        return request
    }
}
