import LocationHub
@_spi(Programs) import LocationModel
import ReferenceModel
import Testing

extension Interleaving {
    private static let devices = ["/dev/a", "/dev/b", "/dev/c"]
    private static let sky = [Satellite(gnss: "GPS", id: 1, used: true)]

    /// One thing happens.
    mutating func step() {
        switch number(0...99) {
        case 0..<34: fix()
        case 34..<37: repeatFix()
        case 37..<40: loseFix()
        case 40..<44: condition()
        case 44..<47: server.tell(.satellites(Self.sky, device: device(), at: server.now))
        case 47..<49: server.tell(.heading(Heading(), device: device(), at: server.now))
        case 49..<55: return open()
        case 55..<58: close()
        case 58..<64: if let id = anyWatch() { server.stalled.insert(id) }
        case 64..<71: if let id = anyWatch() { return read(id) }
        case 71..<74: permit()
        case 74..<76: lose()
        case 76..<78: toggle()
        case 78..<83: request()
        case 83..<84: if let id = pending.keys.min(by: { $0.number < $1.number }) { cancel(id) }
        case 84..<97: server.pass(Double(number(0...2000)) / 1000)
        case 97..<98: server.pass(Double(number(5...100)))
        case 98: sleep()
        default: rearrange()
        }
        settle()
    }

    private mutating func sleep() {
        let deadline = server.hub.nextDeadline
        let isRequested = pending.values.contains { !$0.request.isPassive }
        server.sleep(Double(number(1...36)) * 1000)
        // The one timer that fires does so late, and until then a request lasts.
        if isRequested { model.demand.extendNeed(to: server.now.seconds) }
        if let deadline, deadline <= server.now { model.receivers.wake(at: server.now) }
    }

    private mutating func device() -> String { Self.devices[number(0...2)] }

    private mutating func fix() {
        var location = Location.fix(at: server.now, device: device(), metresEast: Double(number(0...100)))
        location.horizontalAccuracy = chance(10) ? nil : Double(number(1...30))
        if chance(10) { location.timestamp = nil }
        take(location, rank: chance(4) ? Hub.injectedRank : number(0...1))
        server.pass(0.001)
    }

    private mutating func repeatFix() {
        guard let report = server.hub.receiverReports.randomElement(using: &random), var fix = report.lastFix
        else { return }
        fix.monotonicTime = server.now
        take(fix, rank: report.key.rank)
    }

    private mutating func loseFix() {
        let (device, rank) = (device(), number(0...1))
        if model.isEnabled, rank < model.demand.count {
            model.receivers.loseFix(of: .init(rank: rank, device: device), at: server.now)
        }
        server.tell(.noFix(device: device), rank: rank)
    }

    private mutating func take(_ location: Location, rank: Int) {
        let key = ExpectedReceivers.Key(rank: rank, device: location.source.device)
        let before = server.hub.lastSequence
        let doubts = server.hub.counters.implausible
        let running = model.demand.count
        server.tell(.fix(location), rank: rank)
        guard server.hub.lastSequence > before else {
            return model.ignoreFix(location, of: key, whileRunning: running)
        }
        let sequence = server.hub.lastSequence
        let isFollowed = server.hub.lastLocation?.sequence == sequence
        let reason = server.hub.counters.implausible[rank]?.first { $0.value > doubts[rank]?[$0.key] ?? 0 }?.key
        model.numberFix(location, of: key, as: sequence, isFollowed: isFollowed, implausible: reason)
    }

    private mutating func condition() {
        let conditions: [SourceCondition] = [
            .connecting(reason: nil), .connected(reason: nil), .connected(reason: "no device"),
            .unavailable(reason: "gone"),
        ]
        server.tell(.condition(conditions[number(0...3)]), rank: number(0...1))
    }

    private mutating func open() {
        guard clients.count < 20 else { return settle() }
        var request = WatchRequest()
        if chance(30) { request.distanceFilter = Double(number(0...60)) }
        if chance(30) { request.minimumInterval = Double(number(0...5)) }
        if chance(30) { request.requiredAccuracy = Double(number(1...30)) }
        if chance(20) { request.maximumUpdates = number(1...10) }
        request.location = !chance(15)
        request.heading = chance(20)
        request.satellites = chance(20)
        request.passive = chance(25)
        request.everySource = chance(30)
        if chance(50), request.location, !request.heading, !request.satellites, !request.passive {
            request.interval = Double(number(1...300))
        }
        if chance(30), request.location, !request.heading, !request.satellites {
            request.maximumDelay = Double(number(1...60)) / 2
        }
        let permission = permission()
        let id = server.watch(request, permission)
        add(id, permission)
        settle(opening: (id, request))
    }

    private mutating func close() {
        // All at once now and then, so that nothing needs the sources any more.
        if chance(5) {
            for id in ids {
                server.end(id)
                remove(id)
            }
            for id in pending.keys.sorted(by: { $0.number < $1.number }) { cancel(id) }
        }
        guard let id = anyWatch() else { return }
        server.end(id)
        remove(id)
    }

    private mutating func read(_ id: WatchID) {
        if chance(30) { server.read(id, atMost: number(1...3)) } else { server.read(id) }
        settle(reading: id)
    }

    /// Full accuracy most often.
    private mutating func permission() -> Permission {
        switch number(0...99) {
        case 0..<65: return .granted
        case 65..<80: return .denied
        case 80..<90: return Permission(.authorizedAlways, accuracy: .reduced)
        default:
            var permission = Permission.granted
            permission.pace = Pace(principal: chance(50) ? "uid:1000" : "uid:1001", interval: 3)
            return permission
        }
    }

    private mutating func permit() {
        guard let id = anyWatch() else { return }
        let permission = permission()
        clients[id]?.view = ExpectedView(permission)
        clients[id]?.authorization = permission.authorization.rawValue
        permissions[id] = permission
        server.permit(permission, id)
    }

    private mutating func lose() {
        let count = number(1...40)
        model.loseFixes(count)
        server.loseFixes(count)
    }

    private mutating func toggle() {
        let isOn = !server.hub.isEnabled || chance(40)
        model.setEnabled(isOn)
        server.setEnabled(isOn)
    }

    private mutating func request() {
        nextRequest += 1
        let id = RequestID(number: nextRequest)
        var request = LocationRequest()
        request.maximumAge = chance(50) ? 0 : Double(number(0...60))
        let timeout = Double(number(0...40))
        request.timeout = timeout
        request.requiredAccuracy = chance(50) ? nil : Double(number(1...30))
        request.passive = chance(30)
        let expected = ExpectedRequest(
            maximumAge: request.maximumAge ?? 0, accuracy: request.requiredAccuracy, timeout: timeout,
            isPassive: request.passive, newest: model.lastSequence)
        pending[id] = (server.now.advanced(bySeconds: timeout), expected)
        server.perform(server.hub.addRequest(id, request, permission: .granted, at: server.now))
    }

    private mutating func cancel(_ id: RequestID) {
        server.perform(server.hub.cancelRequest(id, at: server.now))
        if pending[id]?.request.isPassive == false { model.demand.extendNeed(to: server.now.seconds) }
        pending[id] = nil
    }

    private mutating func rearrange() {
        if chance(50) {
            server.perform(server.hub.replaceSources(ServerDouble.names(2), at: server.now))
            model.forgetReceivers()
        } else {
            var settings = server.hub.settings
            settings.staleAfter = Double(number(1...10))
            server.perform(server.hub.apply(settings, at: server.now))
            model.receivers.setStaleAfter(settings.staleAfter, at: server.now)
        }
    }
}
