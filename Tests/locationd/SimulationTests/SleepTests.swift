@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Timers stand still while the machine sleeps; what has become old meanwhile must not wait for them.
@Suite struct SleepTests {
    @Test func whatIsOldAfterASleepIsToldWithTheFirstThingThatHappens() async throws {
        let states = try await blocking {
            let machine = SimulatedMachine(seed: 1)
            defer { machine.dissolve() }
            machine.settle()
            machine.inject()
            machine.settle()
            var states = [machine.observer?.lastState]
            machine.time.sleep(3600)
            let client = machine.connect(uid: 0, capacity: .max)
            if let client { machine.send([(CallText.watch(.init()), .watch(.init()))], from: client) }
            machine.settle()
            states += [machine.observer?.lastState, client?.lastState]
            return states
        }
        #expect(states == ["tracking", "starting", "starting"])
    }
}
