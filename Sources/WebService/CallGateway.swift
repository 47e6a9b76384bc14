import AdministrationInterface
import HistoryInterface
import LocationFormats
import LocationInterface
import LocationModel
import ServedPrograms
import Varlink

/// Passes calls of the pages on to the services, on behalf of the pages' user.
struct CallGateway: Sendable {
    /// Where the services are.
    struct Sockets: Sendable {
        /// The daemon's socket.
        var daemon: String
        var history: String
        var places: String
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
    }

    /// Seconds that an answer may take; a track's file may be large, and a network service slow.
    private static let patience = 40.0
    /// Replies of a track, of 500 points each.
    private static let trackLimit = 400

    private static let methods: [String: Service] = {
        typealias Location = LocationInterface.Method
        typealias Admin = AdminInterface.Method
        typealias History = HistoryInterface.Method
        var methods: [String: Service] = [:]
        for method in [Location.getStatus, Location.getLocation, Location.requestAuthorization] {
            methods[method] = .location
        }
        for method in [
            Admin.listClients, Admin.disconnect, Admin.listAuthorizations, Admin.setAuthorization,
            Admin.resetAuthorization, Admin.getHistory, Admin.start, Admin.stop, Admin.setSource, Admin.getStatistics,
            Admin.reload,
        ] { methods[method] = .administration }
        for method in [
            History.getState, History.getTrips, History.getStays, History.getTrack, History.pause, History.resume,
        ] { methods[method] = .history }
        for method in [PlacesInterface.Method.reverseGeocode, PlacesInterface.Method.geocode] {
            methods[method] = .places
        }
        return methods
    }()

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
        }
        let isTrack = method == HistoryInterface.Method.getTrack
        do {
            let replies = try await replies(to: method, JSONValue.object(parameters), at: path, isTrack: isTrack)
            guard isTrack, let points = try Self.points(of: replies) else { return Self.passed(replies) }
            return Answer(status: 200, body: WebJSON.bytes(TrackReply(points: points)) ?? [])
        } catch {
            return Self.failure(of: service, error)
        }
    }

    /// The program on whose behalf a call is, as the daemon is told.
    private static func program(_ principal: WebSessions.Principal) -> JSONValue {
        .object(["uid": .integer(Int64(principal.uid)), "label": .text("web page")])
    }

    /// Ends a token of the daemon that no session has any more. If that fails, it ends by its time.
    func revoke(_ token: String, of principal: WebSessions.Principal) async {
        let parameters = JSONValue.object(["token": .text(token), "onBehalfOf": Self.program(principal)])
        _ = try? await replies(to: AdminInterface.Method.revokeToken, parameters, at: sockets.daemon, isTrack: false)
    }

    /// The points of a track as GPX.
    func track(_ request: TrackRequest, for principal: WebSessions.Principal) async -> Answer {
        do {
            let replies = try await replies(
                to: HistoryInterface.Method.getTrack, JudgedRequest(request: request, user: principal.uid),
                at: sockets.history, isTrack: true)
            guard let points = try Self.points(of: replies) else { return Self.passed(replies) }
            var format = GPXTrack(longestGap: nil)
            var text = format.opening
            for point in points {
                guard let location = point.location else { continue }
                if point.afterGap == true { format.interrupt() }
                text += format.record(for: location)
            }
            return Answer(status: 200, body: Array((text + format.closing).utf8))
        } catch {
            return Self.failure(of: .history, error)
        }
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

    private func replies(
        to method: String, _ parameters: some Encodable, at path: String, isTrack: Bool
    ) async throws -> [Reply] {
        let call = try MessageEncoder().call(method, parameters, more: isTrack)
        return try await DaemonCall.replies(
            to: call, at: path, within: Self.patience, limit: isTrack ? Self.trackLimit : 1)
    }

    private static func failure(of service: Service, _ error: any Error) -> Answer {
        let reason = "\(error)"
        let isUnreachable = (error as? DaemonCall.Failure)?.isUnreachable == true
        return .failure(502, isUnreachable ? advice(service, reason) : reason)
    }

    private static func passed(_ replies: [Reply]) -> Answer {
        replies.last.map { Answer($0) } ?? .failure(502, "the service does not answer")
    }

    /// All points of a track; `nil` if it is refused.
    private static func points(of replies: [Reply]) throws -> [TrackReply.Point]? {
        guard replies.last?.error == nil else { return nil }
        return try replies.flatMap { try $0.parameters(as: TrackReply.self).points }
    }

    private static func advice(_ service: Service, _ reason: String) -> String {
        switch service {
        case .location, .administration: reason
        case .history:
            "the track history is not there (\(reason)); `sudo systemctl enable --now locationd-history` switches it on"
        case .places: "the places service is not there (\(reason)); install the package locationd-places"
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
