import ReferenceModel

/// One thing that can happen, how often it does beside the others, and how it is done.
struct Event {
    let weight: Double
    let name: String
    /// - Returns: what to say of it, or `nil` if there was no occasion for it.
    let body: (SimulatedMachine) -> String?

    init(_ weight: Double, _ name: String, _ body: @escaping (SimulatedMachine) -> String?) {
        self.weight = weight
        self.name = name
        self.body = body
    }

    static var time: [Event] {
        [
            Event(40, "time") { machine in
                let seconds = machine.random.number(in: 0...1.5)
                machine.pass(seconds)
                return "\(seconds) s"
            },
            Event(1.5, "more time") { machine in
                let seconds: Double = machine.random.pick([5.0, 10, 31, 70]) ?? 5
                machine.pass(seconds)
                return "\(seconds) s"
            },
            Event(0.5, "a stay") { machine in
                let seconds: Double = machine.random.pick([65.0, 130, 310]) ?? 65
                let stands = machine.random.chance(0.8)
                for receiver in machine.sources.flatMap(\.gpsd.receivers) { receiver.isStuck = stands }
                machine.pass(seconds)
                return "\(seconds) s"
            },
            Event(0.7, "sleep") { machine in
                let seconds: Double = machine.random.pick([1.0, 60, 3600, 86_400]) ?? 1
                let patience = machine.model.receivers.longestPatience(at: machine.time.now)
                machine.uncertainUntil = max(machine.uncertainUntil, machine.time.awake + patience)
                machine.time.sleep(seconds)
                machine.clocksJumped()
                return "\(seconds) s"
            },
            Event(0.7, "wall clock") { machine in
                let seconds: Double = machine.random.pick([-86_400.0, -3600, -1, 1, 3600, 86_400, 31_536_000]) ?? 1
                machine.time.setWallClock(by: seconds)
                machine.clocksJumped()
                return "\(seconds) s"
            },
        ]
    }
}

extension SimulatedMachine {
    /// Lets one thing happen.
    /// - Returns: what it was.
    func step() -> String {
        var point = random.number(in: 0...eventWeight)
        for event in events {
            point -= event.weight
            guard point <= 0 else { continue }
            let told = event.body(self)
            disk.work()
            settle()
            disk.work()
            settle()
            checkInvariants()
            return "\(event.name): \(told ?? "nothing")"
        }
        return "nothing"
    }
}
