@testable import LocationServer

/// What happens to gpsd, its receivers and the disk.
extension Event {
    static var sources: [Event] {
        [
            Event(1, "gpsd") { world in
                guard let source = world.dice.pick(world.sources) else { return nil }
                source.gpsd.mood = world.dice.chance(0.6) ? .up : world.dice.pick(VirtualGPSD.Mood.allCases) ?? .up
                return "\(source.name) is \(source.gpsd.mood)"
            },
            Event(0.7, "gpsd restarts") { world in
                guard let source = world.dice.pick(world.sources) else { return nil }
                source.gpsd.close()
                source.read()
                return source.name
            },
            Event(1, "plug") { world in
                guard let source = world.dice.pick(world.sources), source.gpsd.receivers.count < 4 else { return nil }
                let device = "/dev/tty\(source.rank)\(world.dice.integer(in: 0...5))"
                guard !source.gpsd.receivers.contains(where: { $0.device == device }) else { return nil }
                world.plug(device, into: source)
                source.gpsd.sayDevices()
                source.read()
                return device
            },
            Event(0.7, "unplug") { world in
                guard let source = world.dice.pick(world.sources), !source.gpsd.receivers.isEmpty else { return nil }
                let gone = source.gpsd.receivers.remove(at: world.dice.integer(in: 0...source.gpsd.receivers.count - 1))
                source.gpsd.sayDevices()
                source.read()
                return gone.device
            },
            Event(0.03, "parade of devices") { world in
                guard let source = world.dice.pick(world.sources) else { return nil }
                for number in 0..<70 {
                    let receiver = VirtualReceiver(
                        device: "/dev/hot\(number)", period: 1, at: world.time.trueUTC, &world.dice)
                    source.gpsd.report(receiver.epoch(at: world.time.trueUTC, &world.dice))
                }
                source.read()
                return source.name
            },
            receiver(1.5, "mode") { receiver, dice in
                receiver.mode = dice.pick([0, 1, 2, 3, 3, 3]) ?? 3
                return "\(receiver.mode)"
            },
            receiver(1, "silence") { receiver, dice in
                receiver.isSilent = dice.chance(0.4)
                return receiver.isSilent ? "begins" : "ends"
            },
            receiver(0.7, "stands still") { receiver, dice in
                receiver.isStuck = dice.chance(0.5)
                return "\(receiver.isStuck)"
            },
            receiver(0.5, "epochs") { receiver, dice in
                receiver.period = dice.pick([0.1, 0.2, 1, 1, 1, 4]) ?? 1
                return "each \(receiver.period) s"
            },
            receiver(0.5, "leap second") { receiver, _ in
                receiver.isLeaping = true
                return ""
            },
            receiver(0.5, "receiver's clock") { receiver, dice in
                receiver.clockOffset = dice.pick([0, 0, -619_315_200, -3600, -1, 0.4, 1, 86_400]) ?? 0
                receiver.tellsTime = dice.chance(0.8)
                return "\(receiver.clockOffset) s"
            },
            Event(3, "garbage from gpsd") { world in
                guard let source = world.dice.pick(world.sources), let receiver = world.dice.pick(source.gpsd.receivers)
                else { return nil }
                let damaged = receiver.epoch(at: world.time.trueUTC, &world.dice).map { line in
                    (bytes: world.damaged(line.bytes), meaning: VirtualReceiver.Meaning.unknown)
                }
                source.gpsd.report(damaged)
                source.read()
                return source.name
            },
            Event(0.2, "flood") { world in
                guard let source = world.dice.pick(world.sources), let receiver = world.dice.pick(source.gpsd.receivers)
                else { return nil }
                let count = world.dice.integer(in: 10...400)
                for _ in 0..<count { source.gpsd.report(receiver.epoch(at: world.time.trueUTC, &world.dice)) }
                source.read()
                return "\(count) epochs of \(receiver.device)"
            },
            Event(0.1, "other sources") { world in
                guard let service = world.service else { return nil }
                world.setSources()
                world.books.receivers = ExpectedReceivers()
                service.replaceSources(world.sources.map(\.name))
                world.follow(world.wanted)
                return "\(world.sources.count)"
            },
            Event(1, "disk") { world in
                world.disk.isFull = world.dice.chance(0.2)
                world.disk.isStuck = world.dice.chance(0.2)
                return "\(world.disk.isFull ? "full" : "not full"), \(world.disk.isStuck ? "stuck" : "not stuck")"
            },
        ]
    }

    private static func receiver(
        _ weight: Double, _ name: String, _ body: @escaping (VirtualReceiver, inout SeededRandom) -> String
    ) -> Event {
        Event(weight, name) { world in
            guard let source = world.dice.pick(world.sources), let receiver = world.dice.pick(source.gpsd.receivers)
            else { return nil }
            return "\(receiver.device) \(body(receiver, &world.dice))"
        }
    }
}

extension World {
    /// A line with a few bytes changed, lost or put in.
    fileprivate func damaged(_ line: [UInt8]) -> [UInt8] {
        var line = line
        for _ in 0...dice.integer(in: 0...3) where !line.isEmpty {
            let index = dice.integer(in: 0...line.count - 1)
            switch dice.integer(in: 0...3) {
            case 0: line.remove(at: index)
            case 1: line[index] = dice.byte()
            case 2: line.insert(dice.byte(), at: index)
            default: line.removeSubrange(index...)
            }
        }
        return line.filter { $0 != 0x0A }
    }
}
