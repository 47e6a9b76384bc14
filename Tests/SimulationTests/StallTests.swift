import NIOCore
import NIOEmbedded
import TestSupport
import Testing

/// Who reads slowly keeps the connection, and who does not read loses it.
@Suite struct StallTests {
    @Test func slowReaderStaysAndOneThatDoesNotReadIsLetGo() async throws {
        let (slow, silent, secondsBehind) = try await blocking {
            let world = World(seed: 1)
            defer { world.dissolve() }
            let guests = (0..<2).compactMap { _ in
                let guest = world.connect(uid: 0, capacity: 20_000)
                if let guest { world.send([(Wording.watch(.init()), .watch(.init()))], from: guest) }
                world.settle()
                guest?.isPrompt = false
                return guest
            }
            var secondsBehind = 0
            for _ in 0..<300 {
                world.inject()
                world.settle()
                // A third of what comes.
                guests.first?.socket.read(100)
                if guests.first?.socket.isBehind == true { secondsBehind += 1 }
                world.time.loop.advanceTime(by: .seconds(1))
            }
            #expect(world.faults.isEmpty)
            return (guests.first?.isGone, guests.last?.isGone, secondsBehind)
        }
        #expect(slow == false && silent == true)
        #expect(secondsBehind > 100, "it takes long to read three quarters")
    }
}
