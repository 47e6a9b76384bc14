import TestSupport
import Testing

/// Timers stand still while the machine sleeps; what has become old meanwhile must not wait for them.
@Suite struct SleepTests {
    @Test func whatIsOldAfterASleepIsToldWithTheFirstThingThatHappens() async throws {
        let states = try await blocking {
            let world = World(seed: 1)
            defer { world.dissolve() }
            world.settle()
            world.inject()
            world.settle()
            var states = [world.followedWitness?.lastState]
            world.time.sleep(3600)
            let guest = world.connect(uid: 0, capacity: .max)
            if let guest { world.send([(Wording.watch(.init()), .watch(.init()))], from: guest) }
            world.settle()
            states += [world.followedWitness?.lastState, guest?.lastState]
            return states
        }
        #expect(states == ["tracking", "starting", "starting"])
    }
}
