import Foundation
import Glibc
import TestSupport
import Testing

/// The built program between a real daemon and a real broker.
@Suite(.timeLimit(.minutes(3))) struct FleetDeliveryTests {
    @Test func subscriberReceivesWhatTheDaemonSays() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let subscriber = try broker.subscriber()
        try await eventually("it has subscribed") { broker.log.contains("Sending SUBACK") }
        let machine = try await FleetMachine(
            broker: broker.address, "[messages]\nplain = true\nhome-assistant = true")
        let receiver = try NotificationReceiver(machine.folder("notify"))
        let fleet = try machine.start(environment: ["NOTIFY_SOCKET": receiver.address])
        try await eventually("ten locations arrive", details: { fleet.errors }) {
            subscriber.received.count { $0.topic == "owntracks/anna/boat" } >= 10
        }
        let first = try #require(subscriber.received.first { $0.topic == "owntracks/anna/boat" })
        #expect(first.member("_type") as? String == "location" && first.member("simulated") as? Bool == true)
        #expect(abs((first.member("lat") as? Double ?? 0) + 0.22) < 0.1 && first.member("tid") as? String == "at")
        for number in ["acc", "vel", "tst"] { #expect(first.member(number) is Int, "\(number)") }
        let topics = Set(subscriber.received.map(\.topic))
        #expect(
            topics == [
                "owntracks/anna/boat", "locationd/anna/boat/location", "locationd/anna/boat/attributes",
                "homeassistant/device_tracker/locationd_anna_boat/config",
            ])
        #expect(receiver.messages.contains("READY=1"))
        // Whoever subscribes later has the newest location at once, which is not older than what arrived before.
        let before = subscriber.received.last { $0.topic == "owntracks/anna/boat" }
        let later = try broker.subscriber("owntracks/#", ["-C", "1", "-i", "later"])
        try await eventually("the retained one arrives") { later.received.count == 1 }
        #expect(later.received[0].isRetained)
        let times = try [#require(before), later.received[0]].map { $0.member("tst") as? Int ?? 0 }
        #expect(times[0] <= times[1])
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        #expect(receiver.messages.last == "STOPPING=1" || receiver.messages.contains("STOPPING=1"))
        #expect(try machine.waitingIDs().isEmpty)
        // It has said good-bye.
        #expect(!subscriber.received.contains { $0.member("_type") as? String == "lwt" })
    }

    @Test func brokerThatIsKilledAndComesBackGetsEverything() async throws {
        let broker = try Mosquitto()
        let subscriber = try await broker.startWithSubscriber()
        let machine = try await FleetMachine(broker: broker.address, "[outbox]\ndrain-rate = 200")
        let receiver = try NotificationReceiver(machine.folder("notify"))
        let fleet = try machine.start(environment: ["NOTIFY_SOCKET": receiver.address])
        var waiting: Set<String> = []
        for round in 1...3 {
            let before = subscriber.received.count
            try await eventually("some arrive", details: { fleet.errors }) { subscriber.received.count > before + 12 }
            try await broker.end(by: SIGKILL)
            let logged = fleet.errors.count
            try await eventually("it is noticed in round \(round)", details: { fleet.errors }) {
                fleet.errors.dropFirst(logged).contains("no connection")
            }
            // Messages pile up meanwhile, one for each fix.
            try await eventually("some wait", details: { fleet.errors }) {
                receiver.messages.suffix(1).contains { $0.wholeMatch(of: /.* ([5-9]|[1-9]\d+) messages wait/) != nil }
            }
            try await broker.start()
        }
        let before = subscriber.received.count
        try await eventually("more arrive", details: { fleet.errors }) { subscriber.received.count > before + 20 }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        waiting.formUnion(try machine.waitingIDs())
        // Ids are made of the daemon's numbers of its fixes, each of which was published: none is missing between the first
        // and the last.
        let numbers = Set(subscriber.received.compactMap(\.id).compactMap { Self.sequence(of: $0) })
            .union(waiting.compactMap { Self.sequence(of: $0) }).sorted()
        let (first, last) = try (#require(numbers.first), #require(numbers.last))
        #expect(numbers.count == Int(last - first + 1), "\(numbers)")
        // A message that arrives twice is the same.
        let byID = Dictionary(grouping: subscriber.received.filter { $0.id != nil }, by: { $0.id ?? "" })
        for (id, copies) in byID { #expect(Set(copies.map(\.payload)).count == 1, "\(id)") }
    }

    /// The outbox is read when the program is dead; whatever it has must arrive.
    ///
    /// `LOCATIOND_KILLS` is the number of times, 20 without it.
    @Test(.timeLimit(.minutes(60))) func killedProgramLosesNothing() async throws {
        let kills = ProcessInfo.processInfo.environment["LOCATIOND_KILLS"].flatMap { Int($0) } ?? 20
        let broker = try Mosquitto()
        let subscriber = try await broker.startWithSubscriber()
        let machine = try await FleetMachine(broker: broker.address, "[outbox]\ndrain-rate = 200")
        var kept: Set<String> = []
        var generator = SystemRandomNumberGenerator()
        for round in 0..<kills {
            // In every other half of the rounds the broker is away, so that messages pile up.
            if round % 10 == 4 { try await broker.end() }
            if round % 10 == 9 { try await broker.start() }
            let fleet = try machine.start()
            try await eventually("it publishes", details: { fleet.errors }) { fleet.errors.contains("publishing") }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &generator)))
            fleet.signal(SIGKILL)
            _ = try await blocking { try fleet.wait() }
            kept.formUnion(try machine.waitingIDs())
        }
        if kills % 10 >= 5 { try await broker.start() }
        let fleet = try machine.start()
        try await eventually("all \(kept.count) arrive", details: { fleet.errors }) {
            kept.isSubset(of: subscriber.received.compactMap(\.id))
        }
        #expect(kept.count >= kills / 4, "\(kept.count) messages in \(kills) rounds prove nothing")
        let byID = Dictionary(grouping: subscriber.received.filter { $0.id != nil }, by: { $0.id ?? "" })
        for (id, copies) in byID {
            #expect(Set(copies.map { $0.member("lat") as? Double }).count == 1, "\(id)")
        }
    }

    @Test func lastWillIsSeenWhenItIsKilled() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let subscriber = try broker.subscriber("owntracks/#")
        let machine = try await FleetMachine(broker: broker.address)
        let fleet = try machine.start()
        try await eventually("it publishes", details: { fleet.errors }) { !subscriber.received.isEmpty }
        fleet.signal(SIGKILL)
        try await eventually("the will arrives") { subscriber.received.last?.member("_type") as? String == "lwt" }
        #expect(subscriber.received.last?.member("tst") is Int)
    }

    private static func sequence(of id: String) -> Int64? {
        id.split(separator: "-").last.flatMap { Int64($0, radix: 16) }
    }
}
