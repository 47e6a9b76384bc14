import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ReferenceModel
import Testing

/// Receivers of several ranks come, go, flap and fall silent at random.
@Suite struct RankInterleavingTests {
    private static let devices = (0..<3).flatMap { rank in ["a", "b"].map { ("/dev/\(rank)\($0)", rank) } }

    /// After each of thousands of events the followed receiver is the one the rule names, a watch sees that one's fixes
    /// and no others, and numbers rise.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func theFollowedOneIsTheOneTheRuleNames(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let staleAfter = ([1, 3, 10] as [Double]).randomElement(using: &random) ?? 3
        let hysteresis = ([0, 2, 5] as [Double]).randomElement(using: &random) ?? 2
        var server = ServerDouble(sources: 3) {
            $0.staleAfter = staleAfter
            $0.failoverHysteresis = hysteresis
        }
        let model = ExpectedService(receivers: ExpectedReceivers(staleAfter: staleAfter, hysteresis: hysteresis))
        let plain = server.watch()
        let all = server.watch { $0.everySource = true }
        model.changeDemand(to: 3, at: server.now.seconds)
        var switches = 0
        var fixes = 0
        for _ in 0..<3000 {
            let (device, rank) = Self.devices.randomElement(using: &random) ?? ("/dev/0a", 0)
            let key = ExpectedReceivers.Key(rank: rank, device: device)
            let before = model.receivers.followed
            server.clear()
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<70:
                var fix = Location.fix(at: server.now, device: device)
                fix.mode = Int.random(in: 0..<3, using: &random) == 0 ? .twoDimensional : .threeDimensional
                fix.horizontalAccuracy = Double.random(in: 1...30, using: &random)
                server.tell(.fix(fix), rank: rank)
                fixes += 1
                #expect(server.sequences(all) == [Int64(fixes)])
                let isFollowed = server.hub.lastLocation?.sequence == Int64(fixes)
                model.numberFix(fix, of: key, as: Int64(fixes), isFollowed: isFollowed)
                #expect(
                    server.locations(plain).map(\.source.device)
                        == (model.receivers.followed == key ? [device] : []))
            case 70..<85:
                model.receivers.loseFix(of: key, at: server.now)
                server.tell(.noFix(device: device), rank: rank)
            case 85..<98: break
            default:
                // Everybody is silent for a while.
                server.pass(Double.random(in: 0...(4 * staleAfter), using: &random))
                model.receivers.passTime(to: server.now)
            }
            if model.receivers.followed != before { switches += 1 }
            #expect(model.faults == [])
            #expect(model.receivers.isExact)
            #expect(
                server.hub.receiverReports.first { $0.isFollowed }?.key.device == model.receivers.followed?.device)
            let state = server.hub.status(for: .granted, at: server.now).source
            #expect((state == .tracking) == model.receivers.isTracking(at: server.now))
            server.pass(Double.random(in: 0.01...0.4, using: &random))
            model.receivers.passTime(to: server.now)
        }
        #expect(switches > 30 && fixes > 1500)
    }

    /// Whatever happened before: when the sky has been the same for a while, the best source that sees it serves, and
    /// no source below it runs.
    @Test(arguments: [7, 8, 9] as [UInt64])
    func inTheEndTheBestServesAndNoneBelowItRuns(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var server = ServerDouble(sources: 4) { $0.failoverDelay = 5 }
        let id = server.watch()
        for _ in 0..<60 {
            let seeing = Set((0..<4).filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
            let isSilent = Bool.random(using: &random)
            // Long enough to settle, or cut short by the next change.
            let seconds = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0...20, using: &random) : 60
            for _ in 0..<seconds {
                for rank in 0..<(server.depths.last ?? 0) {
                    if seeing.contains(rank) {
                        server.fix("/dev/\(rank)", rank: rank)
                    } else if !isSilent {
                        server.tell(.noFix(device: "/dev/\(rank)"), rank: rank)
                    }
                }
                server.pass(1)
            }
            guard seconds == 60 else { continue }
            let status = server.hub.status(for: .granted, at: server.now)
            #expect(status.sourceName == seeing.min().map { "source\($0)" })
            #expect(server.depths.last == (seeing.min() ?? 3) + 1)
            #expect((status.source == .tracking) == !seeing.isEmpty)
        }
        let sequences = server.sequences(id)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy(<) && sequences.count > 500)
    }

    /// The timer that would tell of the followed one's silence comes after another's fix.
    @Test func lateTimerDoesNotBringTheWrongOneUp() {
        var server = ServerDouble(sources: 3)
        _ = server.watch()
        server.fix("/dev/0", rank: 0)
        server.pass(2)
        server.fix("/dev/1", rank: 1)
        server.now = server.now.advanced(bySeconds: 2)
        server.fix("/dev/2", rank: 2)
        #expect(server.hub.receiverReports.first { $0.isFollowed }?.key.device == "/dev/1")
    }
}
