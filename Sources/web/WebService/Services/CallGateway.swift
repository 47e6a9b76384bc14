import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// Passes calls of the pages on to the services, on behalf of the pages' user.
struct CallGateway: Sendable {
    /// Where the services are.
    struct Sockets: Sendable {
        /// The daemon's socket.
        var daemon: String
        var history: String
        var places: String
        var nearby: String
    }

    /// An answer for a page.
    struct Answer: Sendable {
        /// HTTP's.
        let status: Int
        let body: [UInt8]
    }

    private enum Service {
        /// The daemon, on behalf of the user.
        case location
        /// The daemon, for administrators.
        case administration
        case history
        case places
        /// Places by their access points, for administrators.
        case nearby
    }

    /// Seconds that an answer may take; a track's file may be large, and a network service slow.
    private static let patience = 40.0
    /// Points that are encoded at once.
    private static let portion = 500

    private static let methods: [String: Service] = {
        typealias History = HistoryInterface.Method
        var methods: [String: Service] = [:]
        for row in LocationInterface.methods where row.isForPages { methods[row.name] = .location }
        for row in AdminInterface.methods where row.isForPages { methods[row.name] = .administration }
        for method in [
            History.getState, History.getTrips, History.getStays, History.getTrack, History.pause, History.resume,
        ] { methods[method] = .history }
        for method in [PlacesInterface.Method.reverseGeocode, PlacesInterface.Method.geocode] {
            methods[method] = .places
        }
        methods[NearbyInterface.Method.learn] = .nearby
        return methods
    }()

    /// Those whose answers may take megabytes.
    static let large: Set<String> = [
        HistoryInterface.Method.getTrips, HistoryInterface.Method.getStays, HistoryInterface.Method.getTrack,
    ]

    let sockets: Sockets

    func answer(
        _ method: String, _ body: [UInt8], for principal: WebSessions.Principal
    ) async -> Answer {
        guard let service = Self.methods[method] else { return .failure(404, "there is no such method") }
        guard case .object(var parameters)? = body.isEmpty ? .object([:]) : WebJSON.value(body, as: JSONValue.self)
        else { return .failure(400, "the parameters are no JSON object") }
        let path: String
        switch service {
        case .location:
            // Only the service says on whose behalf.
            parameters["onBehalfOf"] = Self.program(principal)
            // What is known from before; a page's watch is what starts receivers.
            if method == LocationInterface.Method.getLocation { parameters["passive"] = .bool(true) }
            path = sockets.daemon
        case .administration:
            guard principal.isAdministrator else { return .failure(403, "this is for administrators") }
            // Without a token the service itself may administer; what the page says of either counts for nothing.
            parameters["token"] = principal.token.map { .text($0) }
            parameters["onBehalfOf"] = principal.token == nil ? nil : Self.program(principal)
            path = sockets.daemon
        case .history:
            parameters["user"] = .integer(Int64(principal.uid))
            path = sockets.history
        case .places:
            // Only the service says for whom, as above: this user's limits count, not those of all pages together.
            parameters["user"] = .integer(Int64(principal.uid))
            path = sockets.places
        case .nearby:
            // That service takes this one's word.
            guard await mayAdminister(principal) else { return .failure(403, "this is for administrators") }
            path = sockets.nearby
        }
        do {
            if method == HistoryInterface.Method.getTrack {
                return try await thinnedTrack(JSONValue.object(parameters), at: path)
            }
            let call = try MessageEncoder().call(method, JSONValue.object(parameters))
            return Self.passed(try await DaemonCall.replies(to: call, at: path, within: Self.patience))
        } catch {
            return failure(of: service, error)
        }
    }

    /// The program on whose behalf a call is, as the daemon is told.
    private static func program(_ principal: WebSessions.Principal) -> JSONValue {
        .object(["uid": .integer(Int64(principal.uid)), "label": .text(ServedProgram.pageLabel)])
    }

    /// Whether an administrator's session still is one: the daemon judges its token anew. Without a token the service
    /// itself administers, which nobody takes away.
    func mayAdminister(_ principal: WebSessions.Principal) async -> Bool {
        guard principal.isAdministrator, principal.token != nil else { return principal.isAdministrator }
        return await answer(AdminInterface.Method.getStatistics, [], for: principal).status == 200
    }

    /// Ends a token of the daemon that no session has any more. If that fails, it ends by its time.
    func revoke(_ token: String, of principal: WebSessions.Principal) async {
        let parameters = JSONValue.object(["token": .text(token), "onBehalfOf": Self.program(principal)])
        guard let call = try? MessageEncoder().call(AdminInterface.Method.revokeToken, parameters) else { return }
        _ = try? await DaemonCall.replies(to: call, at: sockets.daemon, within: Self.patience)
    }

    // MARK: Tracks

    /// A track with no more points than a map can show.
    private func thinnedTrack(_ parameters: JSONValue, at path: String) async throws -> Answer {
        var track = ThinnedTrack()
        let refusal = try await points(parameters, at: path) { points, _ in
            for point in points { track.append(point) }
        }
        if let refusal { return Answer(refusal) }
        let (points, isThinned) = track.finish()
        // In portions: an encoder takes many times the memory of what it encodes.
        var body = Array("{\"isThinned\":\(isThinned),\"pointCount\":\(track.total),\"points\":[".utf8)
        for start in stride(from: 0, to: points.count, by: Self.portion) {
            guard let part = WebJSON.bytes(Array(points[start..<min(start + Self.portion, points.count)])) else {
                continue
            }
            if start > 0 { body.append(UInt8(ascii: ",")) }
            body += part.dropFirst().dropLast()
        }
        return Answer(status: 200, body: body + Array("]}".utf8))
    }

    /// Writes a track as GPX, portion by portion.
    ///
    /// - Parameter write: writes a part of the document, and waits until there is room for the next.
    /// - Returns: why the track is refused, before anything is written; `nil` if it is written.
    /// - Throws: if it is not written as a whole.
    func writeTrack(
        _ request: TrackRequest, for principal: WebSessions.Principal, write: (String) async throws -> Void
    ) async throws -> Answer? {
        var format = GPXTrack(longestGap: nil)
        var text = format.opening
        var hasBegun = false
        do {
            let refusal = try await points(
                JudgedRequest(request: request, user: principal.uid), at: sockets.history
            ) { points, isLast in
                for point in points {
                    guard let location = point.location else { continue }
                    if point.afterGap == true { format.interrupt() }
                    text += format.record(for: location)
                }
                if isLast { text += format.closing }
                hasBegun = true
                try await write(text)
                text = ""
            }
            guard let refusal else { return nil }
            guard !hasBegun else { throw DaemonCall.Failure(description: "the track was ended") }
            return Answer(refusal)
        } catch {
            guard !hasBegun else { throw error }
            return failure(of: .history, error)
        }
    }

    /// Takes the points of a track, as fast as they are received.
    ///
    /// - Returns: the error of the track history, after which nothing follows; `nil` if there is none.
    private func points(
        _ parameters: some Encodable, at path: String,
        receive: (_ points: [TrackReply.Point], _ isLast: Bool) async throws -> Void
    ) async throws -> Reply? {
        let call = try MessageEncoder().call(HistoryInterface.Method.getTrack, parameters, more: true)
        let stream = try await ReplyStream.open(call, at: path, within: Self.patience)
        defer { stream.close() }
        while let reply = try await stream.next() {
            guard reply.error == nil else { return reply }
            try await receive(try reply.parameters(as: TrackReply.self).points, !reply.continues)
        }
        return nil
    }

    /// A request of the track history in which this user is judged.
    private struct JudgedRequest: Encodable {
        let request: TrackRequest
        let user: UInt32

        private enum CodingKeys: CodingKey { case user }

        func encode(to encoder: any Encoder) throws {
            try request.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(user, forKey: .user)
        }
    }

    private func failure(of service: Service, _ error: any Error) -> Answer {
        let reason = "\(error)"
        let isUnreachable = (error as? DaemonCall.Failure)?.isUnreachable == true
        return .failure(502, isUnreachable ? advice(service, reason) : reason)
    }

    private static func passed(_ replies: [Reply]) -> Answer {
        replies.last.map { Answer($0) } ?? .failure(502, "the service does not answer")
    }

    /// What to do where a service cannot be reached; the reason names every service locationd.
    private func advice(_ service: Service, _ reason: String) -> String {
        switch service {
        case .location, .administration: reason
        case .history:
            "locationd-history does not answer at \(sockets.history); `sudo systemctl enable --now locationd-history` switches it on"
        case .nearby:
            "locationd-nearby does not answer at \(sockets.nearby); `systemctl status locationd-nearby` says more"
        case .places: "locationd-places does not answer at \(sockets.places); install the package locationd-places"
        }
    }
}

extension CallGateway.Answer {
    /// A service's reply, as it is, or its error.
    init(_ reply: Reply) {
        let parameters = (try? reply.parameters(as: JSONValue.self)) ?? .object([:])
        guard let error = reply.error else {
            self.init(status: 200, body: WebJSON.bytes(parameters) ?? [])
            return
        }
        let isForbidden = error.hasSuffix("NotAuthorized") || error.hasSuffix("PermissionDenied")
        let body = JSONValue.object(["error": .text(error), "parameters": parameters])
        self.init(status: isForbidden ? 403 : 422, body: WebJSON.bytes(body) ?? [])
    }

    static func failure(_ status: Int, _ reason: String) -> Self {
        let body = JSONValue.object(["error": .text("locationd-web"), "parameters": .object(["reason": .text(reason)])])
        return Self(status: status, body: WebJSON.bytes(body) ?? [])
    }
}
