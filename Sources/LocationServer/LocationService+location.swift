import Authorization
import LocationHub
import LocationInterface
import LocationModel
import Varlink

extension LocationService {
    /// The methods of `org.locationd.location`.
    func serveLocation(_ call: Call, from client: Client) throws(ErrorReply) {
        switch call.method {
        case LocationInterface.Method.getStatus:
            client.connection.reply(StatusReply(status: hub.status(for: client.permission, at: now)))
        case LocationInterface.Method.getLocation: try getLocation(call, from: client)
        case LocationInterface.Method.watch: try watch(call, from: client)
        case LocationInterface.Method.requestAuthorization:
            _ = try call.parameters(as: RequestAuthorizationParameters.self)
            // Where it is settled already there is nothing to ask; nobody can be asked yet.
            guard client.permission.authorization != .notDetermined else { throw .methodNotImplemented(call.method) }
            client.connection.reply(StatusReply(status: hub.status(for: client.permission, at: now)))
        default: throw .methodNotFound(call.method)
        }
    }

    private func getLocation(_ call: Call, from client: Client) throws(ErrorReply) {
        let request = try LocationRequest(call.parameters(as: GetLocationParameters.self))
        guard client.permission.mayReceive else {
            throw .notAuthorized(
                client.permission.authorization,
                reason: Authority(policy: settings.policy).verdict(for: client.principal).reason ?? "")
        }
        let id = RequestID(number: number())
        client.activity = .requesting(id)
        client.request = "GetLocation"
        requesters[id] = client
        perform(hub.addRequest(id, request, at: now))
    }

    func answer(_ id: RequestID, _ answer: LocationAnswer) {
        guard let client = requesters.removeValue(forKey: id) else { return }
        client.activity = .idle
        client.sent += 1
        let now = now
        switch answer {
        case .location(let location): client.connection.reply(LocationReply(location: Aged(location, at: now)))
        case .disabled: client.connection.fail(.disabled)
        case .timedOut(let best): client.connection.fail(.timedOut(best: best.map { Aged($0, at: now) }))
        case .unavailable(let reason, let best):
            client.connection.fail(.locationUnavailable(reason: reason, best: best.map { Aged($0, at: now) }))
        }
    }

    private func watch(_ call: Call, from client: Client) throws(ErrorReply) {
        let parameters = try call.parameters(as: WatchParameters.self)
        let request = try WatchRequest(parameters)
        guard call.more else { throw .expectedMore }
        client.request = "Watch"
        client.purpose = parameters.purpose.map(Purpose.printable)
        let (id, actions) = hub.addWatch(request, permission: client.permission, at: now)
        while watchers.count <= id.slot { watchers.append(nil) }
        watchers[id.slot] = client
        client.activity = .watching(id)
        perform(actions)
    }
}

/// What a client says it wants locations for: shown to people, so it must not reach their terminals raw.
enum Purpose {
    static let limit = 256

    /// Control characters as `\u{…}`.
    static func printable(_ purpose: String) -> String {
        purpose.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }
}
