import DBus
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore

/// The standard interfaces of every object.
extension GeoClueService {
    mutating func answerProperties(_ call: GeoClueCall, of uid: UInt32, at now: NIODeadline) -> [Step] {
        let arguments = call.arguments
        switch (call.member, call.signature) {
        case ("Get", "ss"), ("GetAll", "s"), ("Set", "ssv"): break
        case ("Get", _), ("GetAll", _), ("Set", _): return [invalid(call)]
        default: return [unknownMethod(call)]
        }
        let (interface, name) = (arguments.first?.text ?? "", arguments.dropFirst().first?.text)
        if call.path == GeoClueInterfaces.managerPath {
            guard interface == GeoClueInterfaces.manager else { return [unknownInterface(call)] }
            // What is available depends on who asks.
            guard call.member != "Set", name == nil || name == "AvailableAccuracyLevel" else {
                return answer(
                    call, name, ["InUse": .init(.boolean(isInUse)), "AvailableAccuracyLevel": .init(.uint32(0))])
            }
            return answerByStatus(call, name, of: uid, at: now)
        }
        if let client = ownClient(at: call.path, of: call.sender) {
            guard interface == GeoClueInterfaces.client else { return [unknownInterface(call)] }
            if call.member == "Set", let name, client.properties[name]?.isWritable == true {
                return set(name, to: arguments.last, call, client)
            }
            return answer(call, name, client.properties)
        }
        guard let location = ownLocation(at: call.path, of: call.sender) else { return [unknownObject(call)] }
        guard interface == GeoClueInterfaces.location else { return [unknownInterface(call)] }
        return answer(call, name, location.geoClueProperties.mapValues { GeoClueProperty($0) })
    }

    func answer(_ call: GeoClueCall, _ name: String?, _ properties: [String: GeoClueProperty]) -> [Step] {
        guard let name else { return [.reply(call.number, [.properties(properties.mapValues(\.value))])] }
        guard let property = properties[name] else {
            return [.fail(call.number, .unknownProperty, "there is no property of this name")]
        }
        guard call.member == "Get" else {
            return [.fail(call.number, .propertyReadOnly, "this property cannot be set")]
        }
        return [.reply(call.number, [.variant(property.value)])]
    }

    mutating func set(
        _ name: String, to value: BusValue?, _ call: GeoClueCall, _ client: GeoClueClient
    ) -> [Step] {
        var new = client
        switch (name, value) {
        case ("DesktopId", .variant(.string(let id))?):
            guard id.utf8.count <= GeoClueClient.desktopIDLimit else {
                let text = "a desktop id has at most \(GeoClueClient.desktopIDLimit) bytes"
                return [.fail(call.number, .invalidArguments, text)]
            }
            guard !apps.isAsking(about: client.number) else {
                let text = "the desktop is being asked about this program by its present DesktopId"
                return [.fail(call.number, .accessDenied, text)]
            }
            new.desktopID = id
        case ("DistanceThreshold", .variant(.uint32(let metres))?): new.distanceThreshold = metres
        case ("TimeThreshold", .variant(.uint32(let seconds))?): new.timeThreshold = seconds
        case ("RequestedAccuracyLevel", .variant(.uint32(let level))?): new.requestedAccuracyLevel = level
        default: return [.fail(call.number, .invalidArguments, "\(name) has another type")]
        }
        clients[client.number] = new
        var steps = [Step.reply(call.number, [])]
        guard new.properties[name]?.value != client.properties[name]?.value else { return steps }
        if let value = new.properties[name]?.value { steps.append(changed(client, [name: value])) }
        steps += updateUse()
        if new.isStarted, new.request(within: limit(of: new)) != client.requested { steps += reopenWatch(new) }
        return steps
    }

    /// Answers by what a watch of the user's has said, or the daemon within the last second, or else says when asked.
    private mutating func answerByStatus(
        _ call: GeoClueCall, _ name: String?, of uid: UInt32, at now: NIODeadline
    ) -> [Step] {
        let own = clients.values.lazy.filter { $0.uid == uid && $0.requested?.reducedAccuracy == false }
        if let status = own.compactMap(\.status).first { return answer(call, name, of: uid, by: status) }
        switch statusCalls.add(call, name, of: uid, at: now) {
        case .known(let status): return answer(call, name, of: uid, by: status)
        case .waits(let asks): return asks ? [.askStatus(ServedProgram(uid: uid, label: "GeoClue"))] : []
        case .tooMany: return [.fail(call.number, .limitsExceeded, "too many calls at once")]
        }
    }

    /// The daemon's answer about a user; `nil` if it cannot be reached.
    mutating func applyStatus(_ status: ServiceStatus?, of uid: UInt32, at now: NIODeadline) -> [Step] {
        statusCalls.apply(status, of: uid, at: now).flatMap { answer($0.call, $0.name, of: uid, by: status) }
    }

    private func answer(
        _ call: GeoClueCall, _ name: String?, of uid: UInt32, by status: ServiceStatus?
    ) -> [Step] {
        var level = AccuracyLevel.none
        if let status, status.enabled {
            switch status.authorization {
            case .denied, .restricted, .unknown: break
            default: level = status.accuracy == .reduced ? AccuracyLevel.city : AccuracyLevel.exact
            }
            level = min(level, agents.limit(of: uid))
        }
        return answer(call, name, ["InUse": .init(.boolean(isInUse)), "AvailableAccuracyLevel": .init(.uint32(level))])
    }
}

/// Descriptions and errors.
extension GeoClueService {
    func introspect(_ call: GeoClueCall) -> [Step] {
        guard call.member == "Introspect" else { return [unknownMethod(call)] }
        guard call.signature.isEmpty else { return [invalid(call)] }
        let text: String
        switch call.path {
        case "/": text = GeoClueInterfaces.describe(nil, children: ["org"])
        case "/org": text = GeoClueInterfaces.describe(nil, children: ["freedesktop"])
        case "/org/freedesktop": text = GeoClueInterfaces.describe(nil, children: ["GeoClue2"])
        case "/org/freedesktop/GeoClue2": text = GeoClueInterfaces.describe(nil, children: ["Manager"])
        case GeoClueInterfaces.managerPath: text = GeoClueInterfaces.describe(GeoClueInterfaces.manager)
        case let path where ownClient(at: path, of: call.sender) != nil:
            text = GeoClueInterfaces.describe(GeoClueInterfaces.client)
        case let path where ownLocation(at: path, of: call.sender) != nil:
            text = GeoClueInterfaces.describe(GeoClueInterfaces.location)
        default: return [unknownObject(call)]
        }
        return [.reply(call.number, [.string(text)])]
    }

    func unknownObject(_ call: GeoClueCall) -> Step {
        .fail(call.number, .unknownObject, "there is no such object, or it is another program's")
    }

    func unknownInterface(_ call: GeoClueCall) -> Step {
        .fail(call.number, .unknownInterface, "this object does not have this interface")
    }

    func unknownMethod(_ call: GeoClueCall) -> Step {
        .fail(call.number, .unknownMethod, "there is no method of this name")
    }

    func invalid(_ call: GeoClueCall) -> Step {
        .fail(call.number, .invalidArguments, "the arguments have other types")
    }
}
