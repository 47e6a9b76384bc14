import ReferenceModel

@testable import LocationServer

/// What happens to gpsd, its receivers and the disk.
extension Event {
    static var sources: [Event] {
        [
            Event(1, "gpsd") { machine in
                guard let source = machine.random.pick(machine.sources) else { return nil }
                source.gpsd.mood =
                    machine.random.chance(0.6) ? .up : machine.random.pick(VirtualGPSD.Mood.allCases) ?? .up
                return "\(source.name) is \(source.gpsd.mood)"
            },
            Event(0.7, "gpsd restarts") { machine in
                guard let source = machine.random.pick(machine.sources) else { return nil }
                source.gpsd.close()
                source.read()
                return source.name
            },
            Event(1, "plug") { machine in
                guard let source = machine.random.pick(machine.sources), source.gpsd.receivers.count < 4 else {
                    return nil
                }
                let device = "/dev/tty\(source.rank)\(machine.random.integer(in: 0...5))"
                guard !source.gpsd.receivers.contains(where: { $0.device == device }) else { return nil }
                machine.plug(device, into: source)
                source.gpsd.sayDevices()
                source.read()
                return device
            },
            Event(0.7, "unplug") { machine in
                guard let source = machine.random.pick(machine.sources), !source.gpsd.receivers.isEmpty else {
                    return nil
                }
                let gone = source.gpsd.receivers.remove(
                    at: machine.random.integer(in: 0...source.gpsd.receivers.count - 1))
                source.gpsd.sayDevices()
                source.read()
                return gone.device
            },
            Event(0.03, "parade of devices") { machine in
                guard let source = machine.random.pick(machine.sources) else { return nil }
                for number in 0..<70 {
                    let receiver = VirtualReceiver(
                        device: "/dev/hot\(number)", period: 1, at: machine.time.trueUTC, &machine.random)
                    source.gpsd.report(receiver.epoch(at: machine.time.trueUTC, &machine.random))
                }
                source.read()
                return source.name
            },
            receiver(1.5, "mode") { receiver, random in
                receiver.mode = random.pick([0, 1, 2, 3, 3, 3]) ?? 3
                return "\(receiver.mode)"
            },
            receiver(1, "silence") { receiver, random in
                receiver.isSilent = random.chance(0.4)
                return receiver.isSilent ? "begins" : "ends"
            },
            receiver(2, "stands still") { receiver, random in
                receiver.isStuck = random.chance(0.7)
                return "\(receiver.isStuck)"
            },
            receiver(0.5, "epochs") { receiver, random in
                receiver.period = random.pick([0.1, 0.2, 1, 1, 1, 4]) ?? 1
                return "each \(receiver.period) s"
            },
            receiver(0.5, "leap second") { receiver, _ in
                receiver.isLeaping = true
                return ""
            },
            receiver(0.5, "receiver's clock") { receiver, random in
                receiver.clockOffset = random.pick([0, 0, -619_315_200, -3600, -1, 0.4, 1, 86_400]) ?? 0
                receiver.tellsTime = random.chance(0.8)
                return "\(receiver.clockOffset) s"
            },
            Event(3, "garbage from gpsd") { machine in
                guard let source = machine.random.pick(machine.sources),
                    let receiver = machine.random.pick(source.gpsd.receivers)
                else { return nil }
                let damaged = receiver.epoch(at: machine.time.trueUTC, &machine.random).map { line in
                    (bytes: machine.damaged(line.bytes), meaning: VirtualReceiver.Meaning.unknown)
                }
                source.gpsd.report(damaged)
                source.read()
                return source.name
            },
            Event(0.2, "flood") { machine in
                guard let source = machine.random.pick(machine.sources),
                    let receiver = machine.random.pick(source.gpsd.receivers)
                else { return nil }
                let count = machine.random.integer(in: 10...400)
                for _ in 0..<count { source.gpsd.report(receiver.epoch(at: machine.time.trueUTC, &machine.random)) }
                source.read()
                return "\(count) epochs of \(receiver.device)"
            },
            Event(0.1, "other sources") { machine in
                guard let service = machine.service else { return nil }
                machine.setSources()
                machine.model.forgetReceivers()
                machine.model.spareSources(machine.sparedRanks, at: machine.time.now)
                service.replaceSources(machine.sources.map(\.name), lowPower: machine.lowPower)
                machine.follow(machine.wanted)
                return "\(machine.sources.count), of low power \(machine.lowPower.sorted())"
            },
            Event(1, "disk") { machine in
                machine.disk.isFull = machine.random.chance(0.2)
                machine.disk.isStuck = machine.random.chance(0.2)
                return "\(machine.disk.isFull ? "full" : "not full"), \(machine.disk.isStuck ? "stuck" : "not stuck")"
            },
        ]
    }

    private static func receiver(
        _ weight: Double, _ name: String, _ body: @escaping (VirtualReceiver, inout SeededRandom) -> String
    ) -> Event {
        Event(weight, name) { machine in
            guard let source = machine.random.pick(machine.sources),
                let receiver = machine.random.pick(source.gpsd.receivers)
            else { return nil }
            return "\(receiver.device) \(body(receiver, &machine.random))"
        }
    }
}

extension SimulatedMachine {
    /// A line with a few bytes changed, lost or put in.
    fileprivate func damaged(_ line: [UInt8]) -> [UInt8] {
        var line = line
        for _ in 0...random.integer(in: 0...3) where !line.isEmpty {
            let index = random.integer(in: 0...line.count - 1)
            switch random.integer(in: 0...3) {
            case 0: line.remove(at: index)
            case 1: line[index] = random.byte()
            case 2: line.insert(random.byte(), at: index)
            default: line.removeSubrange(index...)
            }
        }
        return line.filter { $0 != 0x0A }
    }
}
