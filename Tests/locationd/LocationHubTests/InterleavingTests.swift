import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ReferenceModel
import Testing

@Suite struct InterleavingTests {
    /// Random events stall clients, lose fixes, change permissions and the switch, and let hours pass; after each of
    /// ten thousand the hub agrees with the reference model: every fix is accounted for, and no client knows what it
    /// may not.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func everyFixIsDeliveredFilteredOrCounted(_ seed: UInt64) {
        var interleaving = Interleaving(seed: seed)
        for _ in 0..<10_000 {
            interleaving.step()
            interleaving.checkWhole()
            guard interleaving.model.faults.isEmpty else { return }
        }
        #expect(interleaving.server.hub.counters.fixes > 1000)
        #expect(interleaving.server.hub.counters.dropped > 100)
        #expect(interleaving.server.hub.counters.repeats > 10)
        #expect(interleaving.mostDelivered > 20, "watches live long enough to see much")
    }

    /// A watch without filters sees every number but those it was told it lost.
    @Test(arguments: [5, 6, 7] as [UInt64])
    func gapOfUnfilteredWatchEqualsDropped(_ seed: UInt64) {
        var server = ServerDouble()
        var random = SeededGenerator(seed: seed)
        let id = server.watch { $0.everySource = true }
        var last: Int64 = 0
        var stalls = 0
        for _ in 0..<10_000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                server.stalled.insert(id)
                stalls += 1
            case 1..<3: server.read(id)
            case 3:
                // What did not fit into the mailbox is followed by what did.
                server.loseFixes(Int.random(in: 1...500, using: &random))
                server.fix("/dev/a")
            case 4: server.tell(.noFix(device: "/dev/a"))
            default: server.fix(["/dev/a", "/dev/b"].randomElement(using: &random))
            }
            server.pass(Double.random(in: 0.01...1.2, using: &random))
            var dropped: Int64 = 0
            for update in server.updates(id) {
                dropped += Int64(update.dropped)
                guard let sequence = update.location?.sequence else { continue }
                #expect(sequence - last - 1 == dropped)
                last = sequence
                dropped = 0
            }
            #expect(dropped == 0, "a loss is told with the location that follows it")
            server.clear()
        }
        #expect(stalls > 100)
        #expect(last > 9000)
    }
}
