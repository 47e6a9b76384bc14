@testable import LocationServer

/// What clients do.
extension Event {
    private static let users: [UInt32] = [1000, 1001, 1002, 1003, 1004, 1005, 990, 0]

    static var clients: [Event] {
        [
            Event(6, "connect") { world in
                guard world.guests.count < 18 || world.dice.chance(0.02), let uid = world.dice.pick(users) else {
                    return nil
                }
                let guest = world.connect(uid: uid, capacity: world.dice.pick([700, 2000, 9000, 100_000]) ?? 9000)
                guard let guest else { return "uid \(uid) is turned away" }
                guest.isPrompt = world.dice.chance(0.8)
                if world.dice.chance(0.9) { world.call(guest) }
                return "client \(guest.number), uid \(uid)"
            },
            Event(6, "call") { world in
                world.guest { guest in
                    world.call(guest)
                    return ""
                }
            },
            Event(1, "pipeline") { world in
                world.guest { guest in
                    let calls = (0...world.dice.integer(in: 1...20)).map { _ in world.randomCall() }
                    world.send(calls, from: guest)
                    return "\(calls.count) calls"
                }
            },
            Event(4, "stall or resume") { world in
                world.guest { guest in
                    guest.isPrompt.toggle()
                    return guest.isPrompt ? "reads" : "reads no more"
                }
            },
            Event(6, "read a little") { world in
                world.guest { guest in
                    guard !guest.isPrompt else { return nil }
                    let count = world.dice.integer(in: 1...3000)
                    guest.socket.read(count)
                    return "\(count) bytes"
                }
            },
            Event(3, "send the rest") { world in
                for guest in world.guests where !guest.unsent.isEmpty {
                    world.feed(guest, world.dice.integer(in: 1...guest.unsent.count))
                }
                return ""
            },
            Event(2, "hang up") { world in
                world.guest { guest in
                    guest.socket.hangUp()
                    return ""
                }
            },
            Event(1, "end of input") { world in
                world.guest { guest in
                    guest.isLawless = true
                    guest.socket.endInput()
                    return ""
                }
            },
            Event(1, "process ends") { world in
                world.guest { guest in
                    world.service?.processEnded(guest.process)
                    return ""
                }
            },
            Event(1, "garbage from a client") { world in
                world.guest { guest in
                    guest.isLawless = true
                    let count = world.dice.chance(0.1) ? 70_000 : world.dice.integer(in: 1...40)
                    guest.socket.receive((0..<count).map { _ in world.dice.byte() } + [0])
                    return "\(count) bytes"
                }
            },
        ]
    }
}

extension World {
    /// Lets one of the clients do something.
    func guest(_ body: (Guest) -> String?) -> String? {
        let able = guests.filter { $0 !== everyWitness && $0 !== followedWitness && !$0.isGone && !$0.isLawless }
        guard let guest = dice.pick(able), let told = body(guest) else { return nil }
        return "client \(guest.number) \(told)"
    }

    func call(_ guest: Guest) {
        guard guest.asked.count < 5 else { return }
        send([randomCall()], from: guest, splitting: dice.chance(0.1))
    }

    func randomCall() -> (text: String, ask: Guest.Ask) {
        switch dice.integer(in: 0...12) {
        case 0...5: return watchCall()
        case 6...7: return locationCall()
        case 8:
            let level = dice.chance(0.5) ? "always" : "whenInUse"
            let text = Wording.call(
                "org.locationd.location.RequestAuthorization", #""level":"\#(level)""#, more: dice.chance(0.5))
            return (text, .other)
        case 9: return monitorCall()
        case 10: return (Wording.call("org.locationd.location.ListMonitors"), .other)
        case 11: return (Wording.call("org.locationd.location.Nothing"), .other)
        default: return (Wording.call("org.locationd.location.GetStatus"), .other)
        }
    }

    private func watchCall() -> (String, Guest.Ask) {
        var request = ExpectedWatch.Request()
        request.distance = dice.seldom(0.2) { $0.number(in: 1...20) }
        request.interval = dice.seldom(0.2) { $0.number(in: 0.5...5) }
        request.accuracy = dice.seldom(0.2) { $0.number(in: 3...20) }
        request.maximum = dice.seldom(0.15) { $0.integer(in: 1...5) }
        request.location = dice.chance(0.95)
        request.heading = dice.chance(0.2)
        request.satellites = dice.chance(0.2)
        request.passive = dice.chance(0.3)
        request.everySource = dice.chance(0.15)
        return (Wording.watch(request), .watch(request))
    }

    private func locationCall() -> (String, Guest.Ask) {
        let age = dice.chance(0.5) ? 0 : dice.number(in: 0...20)
        let accuracy = dice.seldom(0.3) { $0.number(in: 3...20) }
        let timeout = dice.chance(0.1) ? 0 : dice.number(in: 0.1...20)
        let passive = dice.chance(0.2)
        var fields = #""maximumAge":\#(age),"timeout":\#(timeout),"passive":\#(passive)"#
        if let accuracy { fields += #","requiredAccuracy":\#(accuracy)"# }
        return (
            Wording.call("org.locationd.location.GetLocation", fields),
            .location(
                maximumAge: age, accuracy: accuracy, timeout: timeout, passive: passive, after: books.lastSequence)
        )
    }

    private func monitorCall() -> (String, Guest.Ask) {
        let passive = dice.chance(0.3)
        let regions = (0..<dice.integer(in: 1...3)).map { number in
            let place =
                #""latitude":\#(48 + dice.number(in: -0.2...0.2)),"longitude":\#(11 + dice.number(in: -0.2...0.2))"#
            return #"{"identifier":"r\#(number)","center":{\#(place)},"radius":\#(dice.number(in: 50...20_000))}"#
        }
        var fields = #""passive":\#(passive),"regions":[\#(regions.joined(separator: ","))]"#
        if dice.chance(0.5) { fields += #","name":"m\#(dice.integer(in: 1...2))""# }
        if dice.chance(0.3) { fields += #","significantChange":{"distance":200}"# }
        if dice.chance(0.3) { fields += #","visits":true"# }
        return (Wording.call("org.locationd.location.Monitor", fields, more: true), .monitor(passive: passive))
    }
}
