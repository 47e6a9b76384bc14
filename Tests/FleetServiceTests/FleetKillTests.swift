import Foundation
import Glibc
import TestSupport
import Testing

/// The built program, killed at any moment.
@Suite(.timeLimit(.minutes(60))) struct FleetKillTests {
    /// The outbox is read when the program is dead; whatever it has must arrive.
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
}
