import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ReferenceModel

@testable import LocationServer

/// What administrators, sessions and the machine do to the daemon.
extension Event {
    private static let users: [UInt32] = [1000, 1001, 1002, 1003, 1004, 1005, 990]

    static var administration: [Event] {
        [
            Event(4, "decide") { machine in
                guard let uid = machine.random.pick(users) else { return nil }
                let answer =
                    machine.random.pick([Decision.Answer.denied, .authorizedWhenInUse, .authorizedAlways]) ?? .denied
                let isReduced = machine.random.chance(0.25)
                if machine.permissions.isReadable, answer == .denied || !machine.permissions.isRestricted(uid) {
                    machine.permissions.decisions[uid] = .init(answer: answer, isReduced: isReduced)
                    machine.permissions.terms[uid] = nil
                    machine.permissionsChanged()
                }
                machine.administer(
                    "SetAuthorization",
                    #""principal":"uid:\#(uid)","authorization":"\#(answer)","accuracy":"\#(isReduced ? "reduced" : "full")""#
                )
                return "uid \(uid) \(answer)\(isReduced ? ", reduced" : "")"
            },
            Event(1.5, "decide for a while") { machine in
                guard let uid = machine.random.pick(users) else { return nil }
                let answer: Decision.Answer = machine.random.chance(0.7) ? .authorizedAlways : .authorizedWhenInUse
                let isReduced = machine.random.chance(0.2)
                let seconds: Double = machine.random.pick([0.5, 3, 20, 90, 4000]) ?? 3
                let isPossible =
                    !machine.permissions.isRestricted(uid) && (isReduced || !machine.permissions.reduces(uid))
                if machine.permissions.isReadable, isPossible {
                    let term = ExpectedTerm(
                        .init(answer: answer, isReduced: isReduced), for: seconds, at: machine.time)
                    machine.permissions.terms[uid] = term
                    machine.permissions.latestEnds[uid] = max(machine.permissions.latestEnds[uid] ?? term.end, term.end)
                    machine.permissionsChanged()
                }
                machine.administer(
                    "SetAuthorization",
                    #""principal":"uid:\#(uid)","authorization":"\#(answer)","accuracy":"\#(isReduced ? "reduced" : "full")","#
                        + #""duration":\#(seconds)"#)
                return "uid \(uid) \(answer)\(isReduced ? ", reduced" : "") for \(seconds) s"
            },
            Event(1, "reset") { machine in
                guard let uid = machine.random.pick(users) else { return nil }
                if machine.permissions.isReadable {
                    machine.permissions.decisions[uid] = nil
                    machine.permissions.terms[uid] = nil
                    machine.permissionsChanged()
                }
                machine.administer("ResetAuthorization", #""principal":"uid:\#(uid)""#)
                return "uid \(uid)"
            },
            Event(2, "session") { machine in
                guard let uid = machine.random.pick(users) else { return nil }
                if machine.permissions.present.remove(uid) != nil {
                    machine.permissionsChanged()
                    machine.sessions.logOut(uid)
                    return "uid \(uid) leaves"
                }
                machine.permissions.present.insert(uid)
                machine.permissionsChanged()
                machine.sessions.logIn(uid)
                return "uid \(uid) comes"
            },
            Event(1, "policy") { machine in
                machine.permissions.rules = users.compactMap { uid in
                    guard machine.random.chance(0.4), let outcome = machine.random.pick(PolicyRule.Outcome.allCases)
                    else {
                        return nil
                    }
                    return .init(
                        uid: uid, outcome: outcome, isReduced: machine.random.chance(0.2),
                        interval: machine.random.seldom(0.3) { $0.number(in: 1...20) })
                }
                machine.permissionsChanged()
                machine.settings.policy = machine.permissions.policy
                let policy = machine.settings.policy
                machine.service?.apply { $0.policy = policy }
                return "\(machine.permissions.rules.count) rules"
            },
            Event(0.5, "decisions' file") { machine in
                guard let service = machine.service else { return nil }
                machine.permissions.isReadable.toggle()
                if machine.permissions.isReadable {
                    machine.permissions.readAgain(machine.disk.decisions, at: machine.time)
                }
                machine.permissionsChanged()
                service.replaceDecisions(
                    machine.permissions.isReadable
                        ? .known(machine.disk.decisions) : .unreadable("the test wants it so"))
                return machine.permissions.isReadable ? "readable" : "unreadable"
            },
            Event(1.5, "switch") { machine in
                machine.model.setEnabled(machine.random.chance(0.8))
                machine.administer(machine.isEnabled ? "Start" : "Stop")
                return machine.isEnabled ? "on" : "off"
            },
            Event(1, "inject") { machine in
                machine.inject()
                return ""
            },
            Event(0.5, "disconnect") { machine in
                let others = machine.clients.filter { !machine.isObserver($0) }
                guard let client = machine.random.pick(others) else { return nil }
                machine.administer("Disconnect", #""id":\#(client.process)"#)
                return "client \(client.number)"
            },
            Event(1, "ask") { machine in
                let name = machine.random.pick(["ListClients", "GetStatistics", "ListAuthorizations"]) ?? ""
                machine.administer(name)
                return name
            },
            Event(0.1, "daemon stops") { machine in
                machine.stopDaemon()
                machine.startDaemon()
                return ""
            },
            Event(0.1, "daemon is killed") { machine in
                machine.killDaemon()
                machine.startDaemon()
                return ""
            },
        ]
    }
}

extension SimulatedMachine {
    /// An administrator's call, on a connection of its own.
    func administer(_ method: String, _ fields: String = "") {
        guard let client = connect(uid: 0, .control, capacity: .max) else { return }
        client.leavesWhenAnswered = true
        send([(CallText.call("org.locationd.admin.\(method)", fields), .other)], from: client)
    }

    func inject() {
        guard let coordinate = Coordinate(latitude: random.number(in: -80...80), longitude: 11.5) else { return }
        var location = Location(
            coordinate: coordinate, monotonicTime: time.now, source: SourceInformation(name: "simulate"))
        location.horizontalAccuracy = 3
        if isEnabled { journal.append(.injected(location)) }
        administer(
            "Simulate", #""location":{"latitude":\#(coordinate.latitude),"longitude":11.5,"horizontalAccuracy":3}"#)
    }

    /// From here on the new permissions hold.
    func permissionsChanged() {
        for client in clients {
            let view = permissions.view(of: client.uid)
            client.expected.view = view
            client.monitor?.view = view
        }
    }
}
