import Authorization
import LocationInterface
import LocationModel
import TestSupport

@testable import LocationServer

/// What administrators, sessions and the machine do to the daemon.
extension Event {
    private static let users: [UInt32] = [1000, 1001, 1002, 1003, 1004, 1005, 990]

    static var administration: [Event] {
        [
            Event(4, "decide") { world in
                guard let uid = world.dice.pick(users) else { return nil }
                let answer =
                    world.dice.pick([Decision.Answer.denied, .authorizedWhenInUse, .authorizedAlways]) ?? .denied
                let isReduced = world.dice.chance(0.25)
                if world.permissions.isReadable, answer == .denied || !world.permissions.isRestricted(uid) {
                    world.permissions.decisions[uid] = .init(answer: answer, isReduced: isReduced)
                    world.permissionsChanged()
                }
                world.administer(
                    "SetAuthorization",
                    #""principal":"uid:\#(uid)","authorization":"\#(answer)","accuracy":"\#(isReduced ? "reduced" : "full")""#
                )
                return "uid \(uid) \(answer)\(isReduced ? ", reduced" : "")"
            },
            Event(1, "reset") { world in
                guard let uid = world.dice.pick(users) else { return nil }
                if world.permissions.isReadable {
                    world.permissions.decisions[uid] = nil
                    world.permissionsChanged()
                }
                world.administer("ResetAuthorization", #""principal":"uid:\#(uid)""#)
                return "uid \(uid)"
            },
            Event(2, "session") { world in
                guard let uid = world.dice.pick(users) else { return nil }
                if world.permissions.present.remove(uid) != nil {
                    world.permissionsChanged()
                    world.sessions.logOut(uid)
                    return "uid \(uid) leaves"
                }
                world.permissions.present.insert(uid)
                world.permissionsChanged()
                world.sessions.logIn(uid)
                return "uid \(uid) comes"
            },
            Event(1, "policy") { world in
                world.permissions.rules = users.compactMap { uid in
                    guard world.dice.chance(0.4), let outcome = world.dice.pick(PolicyRule.Outcome.allCases) else {
                        return nil
                    }
                    return .init(
                        uid: uid, outcome: outcome, isReduced: world.dice.chance(0.2),
                        interval: world.dice.seldom(0.3) { $0.number(in: 1...20) })
                }
                world.permissionsChanged()
                world.settings.policy = world.permissions.policy
                let policy = world.settings.policy
                world.service?.apply { $0.policy = policy }
                return "\(world.permissions.rules.count) rules"
            },
            Event(0.5, "decisions' file") { world in
                guard let service = world.service else { return nil }
                world.permissions.isReadable.toggle()
                if world.permissions.isReadable { world.permissions.readAgain(world.disk.decisions) }
                world.permissionsChanged()
                service.replaceDecisions(
                    world.permissions.isReadable ? .known(world.disk.decisions) : .unreadable("the test wants it so"))
                return world.permissions.isReadable ? "readable" : "unreadable"
            },
            Event(1.5, "switch") { world in
                world.isEnabled = world.dice.chance(0.8)
                if !world.isEnabled { for guest in world.guests { guest.watch?.forgetHeld() } }
                world.administer(world.isEnabled ? "Start" : "Stop")
                return world.isEnabled ? "on" : "off"
            },
            Event(1, "inject") { world in
                world.inject()
                return ""
            },
            Event(0.5, "disconnect") { world in
                let others = world.guests.filter { $0 !== world.everyWitness && $0 !== world.followedWitness }
                guard let guest = world.dice.pick(others) else { return nil }
                world.administer("Disconnect", #""id":\#(guest.process)"#)
                return "client \(guest.number)"
            },
            Event(1, "ask") { world in
                let name = world.dice.pick(["ListClients", "GetStatistics", "ListAuthorizations"]) ?? ""
                world.administer(name)
                return name
            },
            Event(0.1, "daemon stops") { world in
                world.stopDaemon()
                world.startDaemon()
                return ""
            },
            Event(0.1, "daemon is killed") { world in
                world.killDaemon()
                world.startDaemon()
                return ""
            },
        ]
    }
}

extension World {
    /// An administrator's call, on a connection of its own.
    fileprivate func administer(_ method: String, _ fields: String = "") {
        guard let guest = connect(uid: 0, .control, capacity: .max) else { return }
        guest.leavesWhenAnswered = true
        send([(Wording.call("org.locationd.admin.\(method)", fields), .other)], from: guest)
    }

    func inject() {
        guard let coordinate = Coordinate(latitude: dice.number(in: -80...80), longitude: 11.5) else { return }
        var location = Location(
            coordinate: coordinate, monotonicTime: time.now, source: SourceInformation(name: "simulate"))
        location.horizontalAccuracy = 3
        if isEnabled { journal.append(.injected(location)) }
        administer(
            "Simulate", #""location":{"latitude":\#(coordinate.latitude),"longitude":11.5,"horizontalAccuracy":3}"#)
    }

    /// From here on the new permissions hold.
    func permissionsChanged() {
        for guest in guests {
            let view = permissions.view(of: guest.uid)
            guest.watch?.see(view)
            guest.monitor?.view = view
        }
    }
}
