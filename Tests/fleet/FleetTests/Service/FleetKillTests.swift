import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// The built program, killed at any moment.
@Suite(.timeLimit(.minutes(60))) struct FleetKillTests {
    /// Whatever was inserted must arrive, as the log says and the outbox has when the program is dead; also what was
    /// published to a broker that is killed before it acknowledges.
    ///
    /// `LOCATIOND_KILLS` is the number of times, 20 without it.
    @Test func killedProgramLosesNothing() async throws {
        let kills = ProcessInfo.processInfo.environment["LOCATIOND_KILLS"].flatMap { Int($0) } ?? 20
        let broker = try Mosquitto()
        let subscriber = try await broker.startWithSubscriber()
        let machine = try await FleetMachine(broker: broker.address, "[outbox]\ndrain-rate = 200")
        var kept: Set<String> = []
        var generator = SystemRandomNumberGenerator()
        for round in 0..<kills {
            // In half of the rounds the broker is away, so that messages pile up.
            if round % 10 == 9 {
                try await broker.start()
                try await broker.awaitSubscriber()
            }
            let fleet = try machine.start()
            try await eventually("it publishes", details: { fleet.errors }) { fleet.errors.contains("publishing") }
            if round % 10 == 3 {
                try await eventually("it is connected", details: { fleet.errors }) {
                    fleet.errors.contains("connected to")
                }
                // What is published now, nobody acknowledges.
                broker.signal(SIGSTOP)
                try await eventually("some are in flight", details: { fleet.errors }) {
                    FleetMachine.insertedIDs(fleet).count >= 3
                }
            } else {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &generator)))
            }
            fleet.signal(SIGKILL)
            _ = try await blocking { try fleet.wait() }
            if round % 10 == 3 { try await broker.end(by: SIGKILL) }
            kept.formUnion(try machine.waitingIDs())
            kept.formUnion(FleetMachine.insertedIDs(fleet))
        }
        if (4..<10).contains(kills % 10) { try await broker.start() }
        let fleet = try machine.start()
        try await eventually(
            "all \(kept.count) arrive",
            details: { "\(kept.subtracting(subscriber.received.compactMap(\.id))) \(fleet.errors)" }
        ) {
            kept.isSubset(of: subscriber.received.compactMap(\.id))
        }
        #expect(kept.count >= kills / 4, "\(kept.count) messages in \(kills) rounds prove nothing")
        let byID = Dictionary(grouping: subscriber.received.filter { $0.id != nil }, by: { $0.id ?? "" })
        for (id, copies) in byID {
            #expect(Set(copies.map { $0.member("lat") as? Double }).count == 1, "\(id)")
        }
    }
}
