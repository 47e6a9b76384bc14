@_spi(Programs) import LocationModel
import NIOCore
import NIOEmbedded
import ProgramTestSupport
import Testing

/// A client that reads slowly keeps its connection, and one that does not read loses it.
@Suite struct StallTests {
    @Test func slowReaderStaysAndOneThatDoesNotReadIsLetGo() async throws {
        let (slow, silent, secondsBehind) = try await blocking {
            let machine = SimulatedMachine(seed: 1)
            defer { machine.dissolve() }
            let clients = (0..<2).compactMap { _ in
                let client = machine.connect(uid: 0, capacity: 20_000)
                if let client { machine.send([(CallText.watch(.init()), .watch(.init()))], from: client) }
                machine.settle()
                client?.isPrompt = false
                return client
            }
            var secondsBehind = 0
            for _ in 0..<300 {
                machine.inject()
                machine.settle()
                // A third of what comes.
                clients.first?.socket.read(100)
                if clients.first?.socket.isBehind == true { secondsBehind += 1 }
                machine.time.loop.advanceTime(by: .seconds(1))
            }
            #expect(machine.faults.isEmpty)
            return (clients.first?.isGone, clients.last?.isGone, secondsBehind)
        }
        #expect(slow == false && silent == true)
        #expect(secondsBehind > 100, "it takes long to read three quarters")
    }
}
