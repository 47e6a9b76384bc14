@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ReferenceModel

@testable import LocationServer

/// What clients do.
extension Event {
    private static let users: [UInt32] = [1000, 1001, 1002, 1003, 1004, 1005, 990, 0]

    static var clients: [Event] {
        [
            Event(6, "connect") { machine in
                guard machine.clients.count < 18 || machine.random.chance(0.02), let uid = machine.random.pick(users)
                else {
                    return nil
                }
                let bridge: UInt32? = machine.random.seldom(0.25) { $0.pick([0, ExpectedPermissions.daemonUID]) ?? 0 }
                let client = machine.connect(
                    uid: uid, bridge == nil ? .location : .control,
                    capacity: machine.random.pick([700, 2000, 9000, 100_000]) ?? 9000, servedBy: bridge)
                guard let client else { return "uid \(uid) is turned away" }
                client.isPrompt = machine.random.chance(0.8)
                if machine.random.chance(0.9) { machine.call(client) }
                return "client \(client.number), uid \(uid)"
            },
            Event(6, "call") { machine in
                machine.client { client in
                    machine.call(client)
                    return ""
                }
            },
            Event(1, "pipeline") { machine in
                machine.client { client in
                    let calls = (0...machine.random.integer(in: 1...20)).map { _ in machine.randomCall() }
                    machine.send(calls, from: client)
                    return "\(calls.count) calls"
                }
            },
            Event(4, "stall or resume") { machine in
                machine.client { client in
                    client.isPrompt.toggle()
                    return client.isPrompt ? "reads" : "reads no more"
                }
            },
            Event(6, "read a little") { machine in
                machine.client { client in
                    guard !client.isPrompt else { return nil }
                    let count = machine.random.integer(in: 1...3000)
                    client.socket.read(count)
                    return "\(count) bytes"
                }
            },
            Event(3, "send the rest") { machine in
                for client in machine.clients where !client.unsent.isEmpty {
                    machine.feed(client, machine.random.integer(in: 1...client.unsent.count))
                }
                return ""
            },
            Event(2, "hang up") { machine in
                machine.client { client in
                    client.socket.hangUp()
                    return ""
                }
            },
            Event(1, "end of input") { machine in
                machine.client { client in
                    client.isExempt = true
                    client.socket.endInput()
                    return ""
                }
            },
            Event(1, "process ends") { machine in
                machine.client { client in
                    machine.service?.processEnded(client.process)
                    return ""
                }
            },
            Event(1, "garbage from a client") { machine in
                machine.client { client in
                    client.isExempt = true
                    let count = machine.random.chance(0.1) ? 70_000 : machine.random.integer(in: 1...40)
                    client.socket.receive((0..<count).map { _ in machine.random.byte() } + [0])
                    return "\(count) bytes"
                }
            },
        ]
    }
}

extension SimulatedMachine {
    /// Whether it is one of those that are always there, and do nothing.
    func isObserver(_ client: SimulatedClient) -> Bool {
        client === everySourceObserver || client === observer || client === estimateObserver
    }

    /// Lets one of the clients do something.
    func client(_ body: (SimulatedClient) -> String?) -> String? {
        let able = clients.filter { !isObserver($0) && !$0.isGone && !$0.isExempt }
        guard let client = random.pick(able), let told = body(client) else { return nil }
        return "client \(client.number) \(told)"
    }

    func call(_ client: SimulatedClient) {
        guard client.asked.count < 5 else { return }
        send([randomCall()], from: client, splitting: random.chance(0.1))
    }

    func randomCall() -> (text: String, ask: SimulatedClient.Ask) {
        switch random.integer(in: 0...12) {
        case 0...5: return watchCall()
        case 6...7: return locationCall()
        case 8:
            let level = random.chance(0.5) ? "always" : "whenInUse"
            let text = CallText.call(
                "org.locationd.location.RequestAuthorization", #""level":"\#(level)""#, more: random.chance(0.5))
            return (text, .other)
        case 9: return monitorCall()
        case 10: return (CallText.call("org.locationd.location.ListMonitors"), .other)
        case 11: return (CallText.call("org.locationd.location.Nothing"), .other)
        default: return (CallText.call("org.locationd.location.GetStatus"), .other)
        }
    }

    private func watchCall() -> (String, SimulatedClient.Ask) {
        var request = WatchRequest()
        request.distanceFilter = random.seldom(0.2) { $0.number(in: 1...20) }
        request.minimumInterval = random.seldom(0.2) { $0.number(in: 0.5...5) }
        request.requiredAccuracy = random.seldom(0.2) { $0.number(in: 3...20) }
        request.maximumUpdates = random.seldom(0.15) { $0.integer(in: 1...5) }
        request.location = random.chance(0.95)
        request.heading = random.chance(0.2)
        request.satellites = random.chance(0.2)
        request.passive = random.chance(0.3)
        request.everySource = random.chance(0.15)
        if request.location, !request.heading, !request.satellites, !request.passive {
            request.interval = random.seldom(0.3) { $0.number(in: 1...120) }
            request.pausesAutomatically = random.chance(0.4)
            request.activityType = random.pick([.fitness, .fitness, .otherNavigation, .airborne, nil, nil]) ?? nil
        }
        if request.location, !request.heading, !request.satellites, !request.pausesAutomatically {
            request.maximumDelay = random.seldom(0.3) { $0.number(in: 0.5...30) }
        }
        return (CallText.watch(request), .watch(request))
    }

    private func locationCall() -> (String, SimulatedClient.Ask) {
        let age = random.chance(0.5) ? 0 : random.number(in: 0...20)
        let accuracy = random.seldom(0.3) { $0.number(in: 3...20) }
        let timeout = random.chance(0.1) ? 0 : random.number(in: 0.1...20)
        let passive = random.chance(0.2)
        var fields = #""maximumAge":\#(age),"timeout":\#(timeout),"passive":\#(passive)"#
        if let accuracy { fields += #","requiredAccuracy":\#(accuracy)"# }
        return (
            CallText.call("org.locationd.location.GetLocation", fields),
            .location(
                ExpectedRequest(
                    maximumAge: age, accuracy: accuracy, timeout: timeout, isPassive: passive,
                    newest: model.lastSequence))
        )
    }

    private func monitorCall() -> (String, SimulatedClient.Ask) {
        let passive = random.chance(0.3)
        let regions = (0..<random.integer(in: 1...3)).map { number in
            let place =
                #""latitude":\#(48 + random.number(in: -0.2...0.2)),"longitude":\#(11 + random.number(in: -0.2...0.2))"#
            return #"{"identifier":"r\#(number)","center":{\#(place)},"radius":\#(random.number(in: 50...20_000))}"#
        }
        var fields = #""passive":\#(passive),"regions":[\#(regions.joined(separator: ","))]"#
        if random.chance(0.5) { fields += #","name":"m\#(random.integer(in: 1...2))""# }
        if random.chance(0.3) { fields += #","significantChange":{"distance":200}"# }
        if random.chance(0.3) { fields += #","visits":true"# }
        return (CallText.call("org.locationd.location.Monitor", fields, more: true), .monitor(passive: passive))
    }
}
