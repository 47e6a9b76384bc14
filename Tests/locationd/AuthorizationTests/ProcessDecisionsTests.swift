import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Testing

@testable import Authorization

/// Grants to single processes, with processes and clocks that the test sets.
@Suite struct ProcessDecisionsTests {
    private final class FakeProcess: DecidableProcess {
        let pid: Int32
        var hasEnded = false
        var image: ProcessImage?

        init(_ pid: Int32) { (self.pid, image) = (pid, ProcessDecisionsTests.maps) }
    }

    private static let uid: UInt32 = 1000
    private static let maps = ProcessImage(name: "maps", uid: uid, codeSize: 40, largestSize: 9000)
    private static let start = Term.Moment(now: BootInstant(seconds: 5000), utc: UTCTime(seconds: 1_790_000_000))

    private func moment(_ seconds: Double) -> Term.Moment {
        Term.Moment(
            now: Self.start.now.advanced(bySeconds: seconds), utc: Self.start.utc.advanced(bySeconds: seconds))
    }

    private func entry(
        _ process: FakeProcess, of uid: UInt32 = uid, by: String = DecisionEntry.user(uid), for duration: Double? = nil
    ) -> ProcessDecisions.Entry {
        ProcessDecisions.Entry(
            uid: uid, process: process, name: "maps", image: process.image ?? Self.maps,
            holding: ProcessDecision(
                Decision(.authorizedWhenInUse, by: by, time: Self.start.utc),
                for: duration.map { Term(duration: $0, at: Self.start) }))
    }

    private func decisions(_ entries: ProcessDecisions.Entry...) -> ProcessDecisions {
        let decisions = ProcessDecisions()
        for entry in entries { #expect(decisions.add(entry)) }
        return decisions
    }

    // MARK: What runs in a process

    @Test func ownProcessIsSeen() throws {
        let image = try #require(ProgramProcess(pid: getpid(), descriptor: try descriptor(of: getpid())).image)
        #expect(image.uid == geteuid() && image.codeSize > 0 && image.largestSize > 0 && image.mayFollow(image))
    }

    private func descriptor(of pid: Int32) throws -> ProcessDescriptor {
        guard case .value(let descriptor) = KernelPeerCalls().openProcess(pid) else { throw Ended() }
        return descriptor
    }

    private struct Ended: Error {}

    @Test func statusOfAProcessIsRead() {
        let text =
            "Name:\tmy map: 1\nUmask:\t0022\nUid:\t0\t1000\t0\t0\nGroups:\t4 24\n"
            + "VmPeak:\t    9000 kB\nVmExe:\t      40 kB\n"
        #expect(
            ProcessImage(status: text)
                == ProcessImage(name: "my map: 1", uid: 1000, codeSize: 40, largestSize: 9000))
    }

    @Test(arguments: [
        "", "Name", "Name:\tx\nUid:\t1\t1\t1\t1\n", "Name:\tx\nUid:\t1\nVmPeak:\t1 kB\nVmExe:\t1 kB\n",
        "Name:\tx\nUid:\t1\t-1\t1\t1\nVmPeak:\t1 kB\nVmExe:\t1 kB\n",
    ])
    func incompleteStatusIsNone(text: String) {
        #expect(ProcessImage(status: text) == nil)
    }

    @Test func otherProgramInTheProcessEndsTheDecision() {
        let others = [
            ProcessImage(name: "spy", uid: Self.uid, codeSize: 40, largestSize: 9000),
            ProcessImage(name: "maps", uid: 0, codeSize: 40, largestSize: 9000),
            ProcessImage(name: "maps", uid: Self.uid, codeSize: 44, largestSize: 9000),
            ProcessImage(name: "maps", uid: Self.uid, codeSize: 40, largestSize: 8999), nil,
        ]
        for other in others {
            let process = FakeProcess(70)
            let decisions = decisions(entry(process))
            #expect(decisions.decision(about: FakeProcess(70), of: Self.uid) != nil)
            process.image = other
            #expect(decisions.decision(about: FakeProcess(70), of: Self.uid) == nil)
            #expect(decisions.endDue(at: moment(0)).map(\.pid) == [70])
        }
    }

    @Test func programThatGrowsStaysTheSame() {
        let process = FakeProcess(70)
        let decisions = decisions(entry(process))
        let larger = ProcessImage(name: "maps", uid: Self.uid, codeSize: 40, largestSize: 9500)
        process.image = larger
        #expect(decisions.endDue(at: moment(0)).isEmpty)
        // Less than before is another program.
        process.image = ProcessImage(name: "maps", uid: Self.uid, codeSize: 40, largestSize: 9499)
        #expect(decisions.endDue(at: moment(1)).count == 1)
    }

    // MARK: Whose process

    @Test func processOfTheSameNumberHasNothingOfTheFormer() {
        let decisions = ProcessDecisions()
        for _ in 0..<1000 {
            let former = FakeProcess(70)
            #expect(decisions.add(entry(former)))
            #expect(decisions.decision(about: FakeProcess(70), of: Self.uid) != nil)
            former.hasEnded = true
            #expect(decisions.decision(about: FakeProcess(70), of: Self.uid) == nil)
        }
        #expect(decisions.endDue(at: moment(0)).count == 1 && decisions.isEmpty)
    }

    @Test func connectionOfAnEndedProcessHasNothingOfTheNext() {
        let decisions = decisions(entry(FakeProcess(70)))
        let former = FakeProcess(70)
        former.hasEnded = true
        #expect(decisions.decision(about: former, of: Self.uid) == nil)
        #expect(decisions.decision(about: FakeProcess(70), of: 1001) == nil, "another user's")
        #expect(decisions.decision(about: FakeProcess(71), of: Self.uid) == nil)
    }

    // MARK: The end

    @Test func endsASecondAfterTheLastConnection() {
        let decisions = decisions(entry(FakeProcess(70)), entry(FakeProcess(71)))
        decisions.setConnected(false, pid: 70, of: Self.uid, at: moment(10).now)
        // The same again does not make it longer.
        decisions.setConnected(false, pid: 70, of: Self.uid, at: moment(10.5).now)
        #expect(decisions.endDue(at: moment(10.999)).isEmpty)
        #expect(decisions.isDue(at: moment(11)))
        #expect(decisions.endDue(at: moment(11)).map(\.pid) == [70])
        #expect(decisions.entries.map(\.pid) == [71])
    }

    @Test func newConnectionWithinTheSecondKeepsIt() {
        let decisions = decisions(entry(FakeProcess(70)))
        decisions.setConnected(false, pid: 70, of: Self.uid, at: moment(10).now)
        decisions.setConnected(true, pid: 70, of: Self.uid, at: moment(10.9).now)
        #expect(decisions.endDue(at: moment(12)).isEmpty)
    }

    @Test func endsWithItsTerm() {
        let decisions = decisions(entry(FakeProcess(70), for: 60))
        #expect(decisions.endDue(at: moment(59.999)).isEmpty && !decisions.isDue(at: moment(59.9995)))
        #expect(decisions.isDue(at: moment(60)) && decisions.endDue(at: moment(60)).count == 1)
    }

    @Test func looksAtItsIntervalAndWhenSomethingEnds() {
        #expect(ProcessDecisions().nextLook(at: moment(0)) == nil && !ProcessDecisions().isDue(at: moment(0)))
        let decisions = decisions(entry(FakeProcess(70), for: 60))
        #expect(decisions.endDue(at: moment(0)).isEmpty)
        #expect(!decisions.isDue(at: moment(0.499)) && decisions.isDue(at: moment(0.5)))
        #expect(decisions.nextLook(at: moment(0)) == 0.5 && decisions.nextLook(at: moment(59.75)) == 0.25)
    }

    @Test func laterDecisionReplacesThoseOfTheUser() {
        let (own, others) = (entry(FakeProcess(70)), entry(FakeProcess(71), by: "uid:0"))
        let stranger = entry(FakeProcess(72), of: 1001)
        let first = decisions(own, others, stranger)
        #expect(first.end(of: Self.uid).map(\.pid) == [70, 71] && first.entries.map(\.pid) == [72])
        let second = decisions(own, others, stranger)
        #expect(second.end(of: Self.uid, onlyOwn: true).map(\.pid) == [70])
    }

    // MARK: Limits

    @Test func oneUserLeavesRoomForOthers() {
        let decisions = ProcessDecisions()
        for pid in 0..<Int32(ProcessDecisions.perUser) { #expect(decisions.add(entry(FakeProcess(100 + pid)))) }
        #expect(!decisions.add(entry(FakeProcess(200))))
        #expect(decisions.add(entry(FakeProcess(100))), "in place of the former one about the process")
        #expect(decisions.add(entry(FakeProcess(201), of: 1001)))
        #expect(decisions.entries.count == ProcessDecisions.perUser + 1)
    }

    @Test func allUsersTogetherAreLimited() {
        let decisions = ProcessDecisions()
        for number in 0..<ProcessDecisions.limit {
            let uid = 2000 + UInt32(number / ProcessDecisions.perUser)
            #expect(decisions.add(entry(FakeProcess(Int32(number) + 100), of: uid)))
        }
        #expect(!decisions.add(entry(FakeProcess(5000), of: 3000)))
        #expect(!decisions.end(of: 2000).isEmpty && decisions.add(entry(FakeProcess(5000), of: 3000)))
    }

    // MARK: The verdict

    private static let client = Principal(uid: uid, pid: 70, groups: [])

    private func verdict(
        _ answer: Decision.Answer? = nil, rule: PolicyRule? = nil, requested seconds: Double? = nil
    ) -> Verdict {
        let time = Self.start.utc
        let entry = DecisionEntry(
            request: seconds.map { AuthorizationRequest(.always, purpose: nil, time: time.advanced(bySeconds: $0)) },
            decision: answer.map { Decision($0, accuracy: .reduced, by: "uid:0", time: time) })
        let policy = AccessPolicy(daemonUID: 990, group: nil, groupName: "x", rules: rule.map { [$0] } ?? [])
        return Authority(policy: policy, decisions: .known(DecisionTable(entries: [.uid(Self.uid): entry])))
            .verdict(
                for: Self.client,
                thisTime: ProcessDecision(Decision(.authorizedWhenInUse, by: DecisionEntry.user(Self.uid), time: time)))
    }

    @Test func grantToTheProcessPrecedesOtherGrants() {
        #expect(verdict() == Verdict(.authorizedWhenInUse))
        #expect(verdict(.authorizedAlways) == Verdict(.authorizedWhenInUse))
    }

    @Test func denialAndPolicyPrecedeTheGrantToTheProcess() {
        #expect(verdict(.denied).status == .denied)
        #expect(verdict(rule: PolicyRule(.everyone, .restricted, origin: "p:1")).status == .restricted)
        let reduced = verdict(
            rule: PolicyRule(.everyone, .ask, accuracy: .reduced, minimumInterval: 600, origin: "p:1"))
        #expect(reduced == Verdict(.authorizedWhenInUse, accuracy: .reduced, minimumInterval: 600))
    }

    @Test func laterRequestForMoreWaits() {
        #expect(verdict(requested: 0).isPending == false)
        #expect(verdict(requested: 1).isPending)
    }
}
