import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// The built program between a real daemon and a real broker.
@Suite(.timeLimit(.minutes(10))) struct FleetDeliveryTests {
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
        #expect(try machine.waitingIDs().isEmpty, "\(fleet.errors)")
        // It has said good-bye.
        #expect(!subscriber.received.contains { $0.member("_type") as? String == "lwt" })
    }

    @Test func brokerThatIsKilledAndComesBackGetsEverything() async throws {
        let broker = try Mosquitto()
        let subscriber = try await broker.startWithSubscriber()
        let machine = try await FleetMachine(broker: broker.address, "[outbox]\ndrain-rate = 200")
        let receiver = try NotificationReceiver(machine.folder("notify"))
        let fleet = try machine.start(environment: ["NOTIFY_SOCKET": receiver.address])
        for round in 1...3 {
            let before = subscriber.received.count
            try await eventually("some arrive", details: { fleet.errors }) { subscriber.received.count > before + 30 }
            // What is published now, nobody acknowledges.
            broker.signal(SIGSTOP)
            let inserted = FleetMachine.insertedIDs(fleet).count
            try await eventually("some are in flight", details: { fleet.errors }) {
                FleetMachine.insertedIDs(fleet).count > inserted + 5
            }
            let logged = fleet.errors.count
            try await broker.end(by: SIGKILL)
            try await eventually("it is noticed in round \(round)", details: { fleet.errors }) {
                fleet.errors.dropFirst(logged).contains("no connection")
            }
            // Messages pile up meanwhile, one for each fix.
            try await eventually("some wait", details: { fleet.errors }) {
                receiver.messages.suffix(1).contains { $0.wholeMatch(of: /.* ([5-9]|[1-9]\d+) messages wait/) != nil }
            }
            try await broker.start()
            try await broker.awaitSubscriber()
        }
        let before = subscriber.received.count
        try await eventually("more arrive", details: { fleet.errors }) { subscriber.received.count > before + 20 }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        // Everything that was ever inserted has arrived, or is still there.
        let arrived = Set(subscriber.received.compactMap(\.id))
        let missing = Set(FleetMachine.insertedIDs(fleet)).subtracting(arrived).subtracting(try machine.waitingIDs())
        #expect(missing.isEmpty, "\(missing)")
        // A message that arrives twice is the same.
        let byID = Dictionary(grouping: subscriber.received.filter { $0.id != nil }, by: { $0.id ?? "" })
        for (id, copies) in byID { #expect(Set(copies.map(\.payload)).count == 1, "\(id)") }
    }

    @Test func commandsAreCarriedOutWhereTheyAreEnabled() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        func publish(_ text: String, _ flags: [String] = []) async throws {
            let arguments = ["-p", "\(broker.port)", "-q", "1", "-t", "owntracks/anna/boat/cmd", "-m", text] + flags
            #expect(try await ChildProcess("mosquitto_pub", arguments).outcome().code == 0)
        }
        // A retained command would be carried out again and again.
        try await publish(#"{"_type":"cmd","action":"status"}"#, ["-r"])
        let subscriber = try broker.subscriber("owntracks/anna/boat/+")
        let locations = try broker.subscriber("owntracks/anna/boat", ["-i", "locations"])
        let machine = try await FleetMachine(broker: broker.address, "[broker]\nremote-commands = true")
        // After the first location there would be none for a day.
        try machine.folder.write(
            "[reports]\ninterval = 86400\nheartbeat = \"off\"\n[broker]\nremote-commands = true\n", to: "fleet.toml")
        let fleet = try machine.start()
        try await eventually("it has subscribed", details: { broker.log }) {
            broker.log.contains("locationd-anna-boat 1 owntracks/anna/boat/cmd")
        }
        try await eventually("the first location arrives") { locations.received.count == 1 }
        for text in ["garbage", #"{"_type":"cmd","action":"setConfiguration"}"#] { try await publish(text) }
        try await publish(#"{"_type":"cmd","action":"reportLocation"}"#)
        try await eventually("a location arrives", details: { fleet.errors }) { locations.received.count == 2 }
        #expect(locations.received[1].member("t") as? String == "r")
        // More than a second later.
        try await eventually("the state arrives", details: { fleet.errors }) {
            try await publish(#"{"_type":"cmd","action":"status"}"#)
            return subscriber.received.contains { $0.topic == "owntracks/anna/boat/status" }
        }
        let status = try #require(subscriber.received.last { $0.topic.hasSuffix("/status") })
        #expect(status.member("_type") as? String == "status")
        #expect((status.member("locationd") as? [String: Any])?["waiting"] is Int)
        #expect(locations.received.count == 2)
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
}
