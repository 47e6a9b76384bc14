import Delivery
import Fleet
import Foundation
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd_fleet

/// What happens outside of the configured hours.
@Suite(.timeLimit(.minutes(10))) struct FleetHoursTests {
    private func command(_ action: String) -> BrokerEvent {
        let payload = #"{"_type":"cmd","action":"\#(action)"}"#
        return .received(
            BrokerMessage(topic: "owntracks/anna/boat/cmd", payload: Array(payload.utf8), isRetained: false))
    }

    /// A Monday whose minutes pass when the test says so. Hours are a minute of it.
    @Test func outsideNothingIsPublishedAndNothingKept() async throws {
        let minute = Mutex(6 * 60 + 59)
        let start = MachineClock.now
        let clock = ServiceClock(
            now: { start.advanced(bySeconds: Double(minute.withLock { $0 }) * 60) },
            utc: { UTCTime(seconds: Int64(minute.withLock { $0 }) * 60) })
        let bench = try PublisherBench()
        _ = try await bench.outbox.insert([
            FleetMessage(topic: "a", kind: .location, isRetained: true, payload: Array("waits".utf8))
        ])
        try await bench.withPublisher(
            clock: clock, hours: ["mon 07:00-08:00"], local: { .init(weekday: 0, minute: Int($0.seconds / 60)) }
        ) { publisher in
            await publisher.applyBrokerEvent(.connected(1, to: bench.address, isVersion5: false))
            await publisher.applyLocation(try bench.location(1, monotonicTime: clock.now()))
            await publisher.applyTransition(
                .enter, region: "harbour", at: try bench.location(1, monotonicTime: clock.now()))
            try await eventually("the state says it", details: { "\(bench.reports.values)" }) {
                bench.reports.values.last
                    == "connected to the broker; outside of the configured hours until mon 07:00: no location is published"
            }
            #expect(try await bench.outbox.count().messages == 1, "nothing is added")
            // A command is answered by the state, which is published though another message waits.
            await publisher.applyBrokerEvent(command("reportLocation"))
            try await eventually("it is answered") { bench.published.values.count == 1 }
            let answer = bench.published.values[0]
            #expect(answer.message.topic == "owntracks/anna/boat/status")
            #expect(answer.text.contains("outside of the configured hours until mon 07:00"), "\(answer.text)")
            await publisher.applyBrokerEvent(.acknowledged(answer.id, connection: 1))

            let early = clock.now()
            minute.withLock { $0 = 7 * 60 }
            // The daemon may have found it before the hours began.
            await publisher.applyLocation(try bench.location(2, monotonicTime: early))
            await publisher.applyTransition(.enter, region: "harbour", at: try bench.location(2, monotonicTime: early))
            await publisher.applyLocation(try bench.location(2, monotonicTime: clock.now()))
            try await eventually("what waited is published too", details: { "\(bench.published.values.map(\.text))" }) {
                bench.published.values.count == 3
            }
            #expect(Set(bench.published.values.dropFirst().map(\.message.topic)) == ["owntracks/anna/boat", "a"])
            #expect(
                bench.published.values.first { $0.message.topic == "owntracks/anna/boat" }?.id == answer.id + 1,
                "nothing of before was inserted")
            try await eventually("the state is in order") { bench.reports.values.last == "connected to the broker" }
            await publisher.applyBrokerEvent(command("reportLocation"))
            try await eventually("it is answered by the location") { bench.published.values.count == 4 }
            #expect(bench.published.values[3].text.contains(#""t":"r""#))

            minute.withLock { $0 = 8 * 60 }
            let count = try await bench.outbox.count().messages
            // Also before anything else has noticed that the hours are over.
            await publisher.applyBrokerEvent(command("reportLocation"))
            await publisher.applyLocation(try bench.location(3, monotonicTime: clock.now()))
            try await eventually("it is answered by the state", details: { "\(bench.published.values.map(\.text))" }) {
                bench.published.values.count == 5
            }
            #expect(bench.published.values[4].message.topic == "owntracks/anna/boat/status")
            #expect(try await bench.outbox.count().messages == count + 1)
            for message in bench.published.values.dropFirst() {
                await publisher.applyBrokerEvent(.acknowledged(message.id, connection: 1))
            }
            await publisher.drain(within: 60)
        }
    }

    @Test func hoursAreThoseOfTheMachinesTimeZone() async throws {
        for seconds in stride(from: Int64(1_772_366_400), to: 1_772_366_400 + 366 * 86400, by: 86400 / 7 * 11) {
            let date = Date(timeIntervalSince1970: Double(seconds))
            let parts = Calendar(identifier: .gregorian).dateComponents(
                in: TimeZone(identifier: TimeZone.current.identifier) ?? .current, from: date)
            let time = ReportHours.LocalTime(onThisMachine: UTCTime(seconds: seconds))
            #expect(time.weekday == ((parts.weekday ?? 0) + 5) % 7)
            #expect(time.minute == (parts.hour ?? 0) * 60 + (parts.minute ?? 0))
        }
    }

    /// The built program in two time zones, in one of which it is outside of the hours.
    @Test func programPublishesByItsTimeZone() async throws {
        let now = ReportHours.LocalTime(onThisMachine: MachineClock.utc)
        let offset = TimeZone.current.secondsFromGMT() / 60
        func clock(_ minute: Int) -> String {
            .init("\(ReportHours.LocalTime(weekday: 0, minute: (minute + 2880) % 1440))".dropFirst(4))
        }
        // Five hours east of Greenwich it is now within the hours.
        let east = now.minute - offset + 300
        let machine = try await FleetMachine(broker: "mqtt://127.0.0.1:1") { _ in
            "hours = [\"\(clock(east - 120))-\(clock(east + 120))\"]"
        }
        let receiver = try NotificationReceiver(machine.folder("notify"))
        let outside = try machine.start(environment: ["NOTIFY_SOCKET": receiver.address, "TZ": "UTC0"])
        try await eventually("it is outside", details: { "\(receiver.messages) \(outside.errors)" }) {
            receiver.messages.contains { $0.contains("outside of the configured hours until ") }
        }
        #expect(FleetMachine.insertedIDs(outside).isEmpty)
        #expect(try await blocking { try machine.daemon.source() } == .stopped, "no receiver runs for it")
        outside.signal(SIGTERM)
        #expect(try await blocking { try outside.wait() } == 0)
        let inside = try machine.start(environment: ["TZ": "EAST-5"])
        try await eventually("locations are put into the outbox", details: { inside.errors }) {
            FleetMachine.insertedIDs(inside).count >= 3
        }
    }
}
