import Authorization
@_spi(Programs) import LocationModel
import Testing

/// Who asked is known once, what was decided holds, and neither grows without end.
struct DecisionTableTests {
    private let subject = Subject.uid(1000)

    @Test func requestIsNewOnce() {
        var table = DecisionTable()
        #expect(table.record(request(.whenInUse, "maps"), of: subject) == .changed)
        #expect(table.record(request(.whenInUse, "maps", at: 1), of: subject) == .known)
        #expect(table.entries[subject]?.request?.time == time(), "the first time is kept")
        #expect(table.record(request(.always, "maps", at: 2), of: subject) == .changed)
        #expect(table.record(request(.always, "weather", at: 3), of: subject) == .changed)
        #expect(table.record(request(.always, nil, at: 4), of: subject) == .known, "it has said what for")
        #expect(table.entries == [subject: DecisionEntry(request: request(.always, "weather", at: 3))])
    }

    @Test(arguments: [
        decision(.denied), decision(.denied, at: 9), decision(.authorizedAlways), decision(.authorizedAlways, at: 9),
        decision(.authorizedWhenInUse, at: 0),
    ])
    func repetitionAfterTheDecisionIsKnown(decision: Decision) {
        var table = DecisionTable()
        #expect(table.record(request(.always, "maps", at: 5), of: subject) == .changed)
        table.decide(decision, about: subject)
        let before = table
        #expect(table.record(request(.always, "maps", at: 10), of: subject) == .known)
        #expect(table == before)
        #expect(table.record(request(.whenInUse, "maps", at: 10), of: subject) == .changed)
    }

    @Test func askingForMoreThanWasGrantedIsPendingAnew() {
        var table = DecisionTable()
        #expect(table.record(request(.always), of: subject) == .changed)
        table.decide(decision(.authorizedWhenInUse, at: 5), about: subject)
        #expect(table.entries[subject]?.isPending == false, "that is what was decided about it")
        #expect(table.record(request(.always, at: 6), of: subject) == .changed)
        #expect(table.entries[subject]?.isPending == true)
        #expect(table.entries[subject]?.decision == decision(.authorizedWhenInUse, at: 5))
    }

    @Test func pendingIsWhatNobodyHasAnswered() {
        func isPending(_ request: AuthorizationRequest?, _ decision: Decision?) -> Bool {
            DecisionEntry(request: request, decision: decision).isPending
        }
        #expect(!isPending(nil, nil) && !isPending(nil, decision(.authorizedWhenInUse)))
        #expect(isPending(request(.whenInUse), nil) && isPending(request(.always), nil))
        for answer in [Decision.Answer.denied, .authorizedWhenInUse, .authorizedAlways] {
            for level in [AuthorizationRequest.Level.whenInUse, .always] {
                for later: Int64 in [-1, 0, 1] {
                    let asksForMore = answer == .authorizedWhenInUse && level == .always && later > 0
                    #expect(isPending(request(level, at: later), decision(answer)) == asksForMore)
                }
            }
        }
    }

    @Test func requestsOfTheUndecidedAreLimited() {
        var table = DecisionTable()
        table.decide(decision(.denied), about: .uid(0))
        let uids = 1000..<UInt32(1000 + DecisionTable.undecidedLimit)
        #expect(uids.allSatisfy { table.record(request(), of: .uid($0)) == .changed })
        #expect(table.record(request(), of: subject) == .known)
        let full = table
        #expect(table.record(request(), of: .uid(5000)) == .refused)
        #expect(table.record(request(), of: .unit("a.service")) == .refused)
        #expect(table == full)
        // Who is known already is heard, and a decision always finds room, and makes some.
        #expect(table.record(request(.whenInUse), of: subject) == .changed)
        #expect(table.record(request(), of: .uid(0)) == .changed)
        table.decide(decision(.denied), about: .uid(6000))
        #expect(table.record(request(), of: .uid(5000)) == .refused)
        table.decide(decision(.denied), about: .uid(1001))
        #expect(table.record(request(), of: .uid(5000)) == .changed)
        #expect(table.record(request(), of: .uid(5001)) == .refused)
        #expect(table.reset(.uid(1002)) != nil)
        #expect(table.record(request(), of: .uid(5001)) == .changed)
    }

    /// Who has a range of subordinate users fills half of the table at most.
    @Test func subordinateUsersLeaveRoomForOthers() {
        var table = DecisionTable()
        let request = AuthorizationRequest(.always, purpose: nil, time: UTCTime(seconds: 1))
        let range = (100_000..<UInt32(165_536))
        let taken = range.filter { $0 % 97 == 0 }.count { table.record(request, of: .uid($0)) == .changed }
        #expect(taken == 2 * DecisionTable.undecidedLimitPerBlock)
        for subject in [Subject.uid(1000), .uid(60_000), .uid(200_000)] {
            #expect(table.record(request, of: subject) == .changed, "\(subject)")
        }
        // Decided ones do not count.
        for uid in range { table.decide(Decision(.denied, by: "uid:0", time: UTCTime(seconds: 2)), about: .uid(uid)) }
        #expect(table.record(request, of: .uid(99_999)) == .changed)
    }

    @Test func decisionReplacesTheOneBeforeAndKeepsTheRequest() {
        var table = DecisionTable()
        _ = table.record(request(.always, "maps"), of: subject)
        table.decide(decision(.authorizedAlways, at: 1), about: subject)
        table.decide(decision(.denied, at: 2), about: subject)
        #expect(
            table.entries
                == [subject: DecisionEntry(request: request(.always, "maps"), decision: decision(.denied, at: 2))])
    }

    @Test func resetForgetsBoth() {
        var table = sampleTable
        let entry = table.entries[subject]
        #expect(entry != nil && table.reset(subject) == entry)
        #expect(table.entries[subject] == nil && table.entries.count == sampleTable.entries.count - 1)
        #expect(table.reset(subject) == nil)
    }

    @Test func everyChangeIsLaterThanTheTableItWasMadeFrom() {
        var table = DecisionTable()
        var revisions = [table.revision]
        func noteRevision() { revisions.append(table.revision) }
        #expect(table.record(request(), of: subject) == .changed)
        noteRevision()
        table.decide(decision(.denied), about: subject)
        noteRevision()
        #expect(table.reset(subject) != nil)
        noteRevision()
        table.begin(reading: 1)
        noteRevision()
        #expect(zip(revisions, revisions.dropFirst()).allSatisfy(<))
        let before = table
        #expect(table.reset(subject) == nil && table.revision == before.revision, "nothing has changed")
        #expect(before == DecisionTable() && before.hashValue == DecisionTable().hashValue, "it says the same")
    }

    private let unit = "navigator.service"

    private func found(_ entries: [Subject: Decision], unit: String?) -> (subject: Subject, decision: Decision)? {
        DecisionTable(entries: entries.mapValues { DecisionEntry(decision: $0) })
            .decision(for: Principal(uid: 1000, pid: 1, groups: [], unit: unit))
    }

    @Test func unitBeatsUserAndDenialBeatsAll() {
        let answers: [Decision.Answer?] = [nil, .denied, .authorizedWhenInUse, .authorizedAlways]
        for ofUnit in answers {
            for ofUser in answers {
                var entries: [Subject: Decision] = [
                    .uid(1001): decision(.denied), .unit("b.service"): decision(.denied),
                ]
                entries[.unit(unit)] = ofUnit.map { decision($0) }
                entries[subject] = ofUser.map { decision($0, at: 1) }
                let expected: Subject? =
                    if ofUnit == .denied { .unit(unit) } else if ofUser == .denied { subject } else if ofUnit != nil {
                        .unit(unit)
                    } else if ofUser != nil { subject } else { nil }
                let holding = found(entries, unit: unit)
                #expect(holding?.subject == expected, "\(String(describing: ofUnit)) \(String(describing: ofUser))")
                #expect(holding?.decision == expected.flatMap { entries[$0] })
                #expect(found(entries, unit: nil)?.decision == entries[subject], "without a unit the user's alone")
            }
        }
    }

    @Test func pendingIsAskedOfTheSubjectThatAsked() {
        var table = DecisionTable()
        _ = table.record(request(), of: .unit(unit))
        #expect(table.isPending(Principal(uid: 1000, pid: 1, groups: [], unit: unit)))
        #expect(!table.isPending(Principal(uid: 1000, pid: 1, groups: [])))
        #expect(!table.isPending(Principal(uid: 1000, pid: 1, groups: [], unit: "b.service")))
    }

    @Test func timesAreThoseThatAreKept() {
        let fine = UTCTime(seconds: 1, nanoseconds: 499_600_000)
        let precise = UTCTime(seconds: 1, nanoseconds: 499_999_999)
        #expect(Decision(.denied, by: "uid:0", time: precise).time == UTCTime(seconds: 1, nanoseconds: 500_000_000))
        #expect(AuthorizationRequest(.always, purpose: nil, time: fine).time.nanoseconds == 500_000_000)
    }
}
