import LocationHub
@_spi(Programs) import LocationModel
import Synchronization
import Testing

@Suite struct MailboxTests {
    private static let now = BootInstant(seconds: 1)

    private func fix(_ number: Int) -> SourceEvent {
        .fix(.fix(at: Self.now.advanced(bySeconds: Double(number)), device: "\(number)"))
    }

    private func devices(_ contents: Mailbox.Contents) -> [String?] {
        contents.entries.compactMap { if case .fix(let location) = $0.event { location.source.device } else { nil } }
    }

    @Test func lettersComeInOrderWithTheirRank() {
        let mailbox = Mailbox { _ in }
        mailbox.post(fix(0), from: 2)
        mailbox.post(.noFix(device: "a"), from: 1)
        let contents = mailbox.empty()
        #expect(contents.entries.map(\.rank) == [2, 1])
        #expect(contents.entries.map(\.event) == [fix(0), .noFix(device: "a")])
        #expect(contents.lostFixes == 0)
        #expect(mailbox.empty().entries.isEmpty)
    }

    @Test func bellRingsOncePerEmptying() {
        let rings = Mutex(0)
        let mailbox = Mailbox { _ in rings.withLock { $0 += 1 } }
        for number in 0..<1000 { mailbox.post(fix(number), from: 0) }
        #expect(rings.withLock { $0 } == 1)
        _ = mailbox.empty()
        #expect(rings.withLock { $0 } == 1)
        mailbox.post(fix(0), from: 0)
        mailbox.post(fix(1), from: 0)
        #expect(rings.withLock { $0 } == 2)
    }

    @Test func skyThatNobodyAwaitsIsReadWithWhatComesNext() {
        let rings = Mutex(0)
        let mailbox = Mailbox { _ in rings.withLock { $0 += 1 } }
        let sky = SourceEvent.satellites([], device: nil, at: Self.now)
        mailbox.post(sky, from: 0)
        #expect(rings.withLock { $0 } == 1, "it is awaited unless said otherwise")
        mailbox.setNeedsSatellites(false)
        #expect(mailbox.empty().entries.map(\.event) == [sky])
        mailbox.post(sky, from: 0)
        #expect(rings.withLock { $0 } == 1)
        mailbox.post(fix(0), from: 0)
        mailbox.post(sky, from: 0)
        #expect(rings.withLock { $0 } == 2)
        #expect(mailbox.empty().entries.map(\.event) == [sky, fix(0), sky])
        mailbox.post(sky, from: 0)
        #expect(rings.withLock { $0 } == 2)
        mailbox.post(sky, from: 0)
        #expect(rings.withLock { $0 } == 3, "no fix comes")
        _ = mailbox.empty()
        mailbox.setNeedsSatellites(true)
        mailbox.post(sky, from: 0)
        #expect(rings.withLock { $0 } == 4)
    }

    @Test func bellMayEmptyTheMailbox() {
        let seen = Mutex<[Int]>([])
        let mailbox = Mailbox { mailbox in
            let count = mailbox.empty().entries.count
            seen.withLock { $0.append(count) }
        }
        for number in 0..<3 { mailbox.post(fix(number), from: 0) }
        #expect(seen.withLock { $0 } == [1, 1, 1])
    }

    @Test func bellIsSilentOnceTheMailboxIsClosed() {
        let rings = Mutex(0)
        let mailbox = Mailbox { _ in rings.withLock { $0 += 1 } }
        mailbox.post(fix(0), from: 0)
        _ = mailbox.empty()
        mailbox.close()
        mailbox.post(fix(1), from: 0)
        #expect(rings.withLock { $0 } == 1)
        #expect(devices(mailbox.empty()) == ["1"])
    }

    @Test func holdsTwoHundredFiftySixAndTheOldestFixGivesWay() {
        let mailbox = Mailbox { _ in }
        for number in 0..<256 { mailbox.post(fix(number), from: 0) }
        for number in 256..<300 { mailbox.post(fix(number), from: 0) }
        let contents = mailbox.empty()
        #expect(contents.entries.count == 256)
        #expect(contents.lostFixes == 44)
        #expect(contents.lostOthers == 0)
        #expect(devices(contents) == (44..<300).map { "\($0)" })
        #expect(mailbox.empty().lostFixes == 0, "a loss is told once")
    }

    @Test func conditionsAreNeverLost() {
        let mailbox = Mailbox { _ in }
        let conditions = (0..<50).map { SourceEvent.condition(.connecting(reason: "\($0)")) }
        for condition in conditions {
            mailbox.post(condition, from: 0)
            for number in 0..<20 { mailbox.post(fix(number), from: 0) }
        }
        let contents = mailbox.empty()
        #expect(contents.entries.count == 256)
        let kept = contents.entries.map(\.event).filter { if case .condition = $0 { true } else { false } }
        #expect(kept == conditions)
        #expect(contents.lostFixes == 1000 - 206)
    }

    @Test func otherLossIsCountedApart() {
        let mailbox = Mailbox { _ in }
        for _ in 0..<3 { mailbox.post(.satellites([], device: nil, at: Self.now), from: 0) }
        for number in 0..<256 { mailbox.post(fix(number), from: 0) }
        let contents = mailbox.empty()
        #expect(contents.lostOthers == 3)
        #expect(contents.lostFixes == 0)
    }

    @Test func newestConditionStaysEvenAmongTooMany() {
        let mailbox = Mailbox { _ in }
        mailbox.post(.condition(.unavailable(reason: "kept")), from: 1)
        for number in 0..<1000 { mailbox.post(.condition(.connecting(reason: "\(number)")), from: 0) }
        let entries = mailbox.empty().entries
        #expect(entries.count == 256)
        #expect(entries.last?.event == .condition(.connecting(reason: "999")))
        #expect(entries.contains { $0.rank == 1 }, "the last condition of another source")
    }

    @Test func nothingIsLostBetweenThreads() async {
        let mailbox = Mailbox { _ in }
        let posted = 4000
        let total = await withTaskGroup(of: Int.self) { group in
            for rank in 0..<4 {
                group.addTask {
                    for number in 0..<(posted / 4) { mailbox.post(fix(number), from: rank) }
                    return 0
                }
            }
            group.addTask {
                var seen = 0
                for _ in 0..<200 {
                    let contents = mailbox.empty()
                    seen += contents.entries.count + contents.lostFixes
                    await Task.yield()
                }
                return seen
            }
            return await group.reduce(0, +)
        }
        let rest = mailbox.empty()
        #expect(total + rest.entries.count + rest.lostFixes == posted)
    }
}
