import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Each `sendLocation` is encoded once and each `reply` once: their number is what a fix costs whatever the number of
/// those who see it.
@Suite struct SharedReplyTests {
    /// What was to be sent of one fix.
    private struct Sent: Equatable {
        var shared = 0
        var own = 0
        var recipients = 0
    }

    private func sent(of number: Int, by server: inout ServerDouble) -> Sent {
        server.now = server.now.advanced(bySeconds: 1)
        let fix = SourceEvent.fix(.fix(at: server.now, device: "/dev/gps0", metresEast: Double(number)))
        let actions = server.hub.applyEvent(fix, from: 0, at: server.now)
        return actions.reduce(into: Sent()) { sent, action in
            switch action {
            case .sendLocation(_, let ids):
                sent.shared += 1
                sent.recipients += ids.count
            case .reply: sent.own += 1
            default: break
            }
        }
    }

    @Test func filteredAndReducedWatchesAddNoReplyOfTheirOwn() {
        var generator = SeededGenerator(seed: 7)
        let now = BootInstant(seconds: 1000)
        var server = ServerDouble(
            reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &generator)), at: now)
        for _ in 0..<200 {
            _ = server.watch()
            _ = server.watch { $0.distanceFilter = 1.5 }
            _ = server.watch { $0.distanceFilter = 1e6 }
            _ = server.watch { $0.requiredAccuracy = 0.1 }
            _ = server.watch(Permission(.authorizedAlways, accuracy: .reduced))
        }
        #expect(sent(of: 0, by: &server) == Sent(shared: 2, own: 0, recipients: 800), "the rough view has its fix, too")
        #expect(sent(of: 1, by: &server) == Sent(shared: 1, own: 0, recipients: 200))
        #expect(sent(of: 2, by: &server) == Sent(shared: 1, own: 0, recipients: 400), "half of the filtered ones")
        #expect(sent(of: 3, by: &server) == Sent(shared: 1, own: 0, recipients: 200))
    }

    @Test func fixThatNobodyIsToSeeIsNotEncoded() {
        var server = ServerDouble()
        for _ in 0..<200 { _ = server.watch { $0.distanceFilter = 1e6 } }
        #expect(sent(of: 0, by: &server) == Sent(shared: 1, own: 0, recipients: 200))
        #expect(sent(of: 1, by: &server) == Sent())
    }
}
