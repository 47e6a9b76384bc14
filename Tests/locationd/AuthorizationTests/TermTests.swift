@_spi(Programs) import LocationModel
import Testing

@testable import Authorization

/// A decision for a while ends by the clock that nobody can set, and no restart and no step of the wall clock makes it
/// longer.
struct TermTests {
    private let subject = Subject.uid(1000)
    private let start = Term.Moment(now: BootInstant(seconds: 5000), utc: time())

    /// So many seconds later on both clocks, and the wall clock set by so much more.
    private func later(_ seconds: Double, step: Double = 0) -> Term.Moment {
        Term.Moment(now: start.now.advanced(bySeconds: seconds), utc: start.utc.advanced(bySeconds: seconds + step))
    }

    /// So many seconds later, after a reboot.
    private func rebooted(_ seconds: Double, uptime: Double, step: Double = 0) -> Term.Moment {
        Term.Moment(now: BootInstant(seconds: uptime), utc: later(seconds, step: step).utc)
    }

    private func table(_ standing: Decision?, for seconds: Double = 3600) -> DecisionTable {
        var table = DecisionTable()
        if let standing { table.decide(standing, about: subject) }
        table.decide(decision(.authorizedAlways, at: 10), about: subject, for: Term(duration: seconds, at: start))
        return table
    }

    @Test func endGivesTheFormerDecisionBack() {
        let standing = decision(.authorizedWhenInUse, .reduced)
        var table = table(standing)
        let principal = Principal(uid: 1000, pid: 1, groups: [])
        #expect(table.decision(for: principal)?.decision == decision(.authorizedAlways, at: 10))
        #expect(table.entries[subject]?.decision == standing)
        #expect(table.nextEnd(at: later(600)) == 3000)
        #expect(table.endTerms(at: later(3599)).isEmpty)
        let ended = table.endTerms(at: later(3600))
        #expect(ended.map(\.subject) == [subject])
        #expect(ended.map(\.decision) == [decision(.authorizedAlways, at: 10)])
        #expect(table.entries == [subject: DecisionEntry(decision: standing)])
        #expect(table.nextEnd(at: later(3600)) == nil)
    }

    @Test func endOfWhatWasNeverDecidedOtherwiseLeavesNothing() {
        var table = table(nil)
        _ = table.endTerms(at: later(3600))
        #expect(table.entries.isEmpty)
    }

    @Test(arguments: [-7200.0, -10, 10, 7200]) func stepOfTheWallClockChangesNothingWhileItRuns(step: Double) {
        var table = table(nil)
        #expect(table.endTerms(at: later(3599, step: step)).isEmpty)
        #expect(table.endTerms(at: later(3600, step: step)).count == 1)
    }

    @Test(arguments: [-3000.0, -600, 0]) func clockThatWasSetBackLengthensNoTermOverARestart(step: Double) throws {
        var table = try DecisionTable(decoding: table(nil).encoded())
        #expect(table.resumeTerms(at: later(3001, step: step)).isEmpty)
        #expect(table.endTerms(at: later(3599, step: step)).isEmpty)
        #expect(table.endTerms(at: later(3600, step: step)).count == 1)
    }

    @Test func clockBeforeTheGrantEndsTheTerm() throws {
        var table = try DecisionTable(decoding: table(nil).encoded())
        #expect(table.resumeTerms(at: later(600, step: -700)).count == 1)
        #expect(table.entries.isEmpty)
    }

    @Test func clockThatWasSetForwardEndsARestoredTerm() throws {
        var table = try DecisionTable(decoding: table(nil).encoded())
        #expect(table.resumeTerms(at: later(600)).isEmpty)
        #expect(table.endTerms(at: later(700, step: 2899)).isEmpty)
        #expect(table.endTerms(at: later(700, step: 2900)).count == 1)
    }

    @Test(arguments: [5.0, 2000, 2999]) func rebootCountsByTheWallClock(uptime: Double) throws {
        var table = try DecisionTable(decoding: table(nil).encoded())
        #expect(table.resumeTerms(at: rebooted(3000, uptime: uptime)).isEmpty)
        #expect(table.nextEnd(at: rebooted(3000, uptime: uptime)) == 600)
        var late = try DecisionTable(decoding: self.table(nil).encoded())
        #expect(late.resumeTerms(at: rebooted(3600, uptime: uptime)).count == 1)
    }

    /// Over many restarts, with the clock set back before each, no more than the term is granted in one boot.
    @Test func restartsDoNotAddUp() throws {
        var table = table(nil)
        for restart in 1..<36 {
            table = try DecisionTable(decoding: table.encoded())
            let ended = table.resumeTerms(at: later(Double(restart) * 100, step: -Double(restart) * 90))
            #expect(ended.isEmpty, "restart \(restart)")
        }
        table = try DecisionTable(decoding: table.encoded())
        #expect(table.resumeTerms(at: later(3600, step: -36 * 90)).count == 1)
    }

    @Test func laterDecisionEndsTheTerm() {
        var table = table(decision(.authorizedAlways, .reduced))
        table.decide(decision(.denied, at: 20), about: subject)
        #expect(table.entries == [subject: DecisionEntry(decision: decision(.denied, at: 20))])
        #expect(table.endTerms(at: later(9999)).isEmpty)
    }

    @Test func answeredRequestIsNotPendingAnewAfterTheEnd() {
        var table = DecisionTable()
        table.decide(decision(.authorizedAlways, .reduced), about: subject)
        let asked = AuthorizationRequest(.whenInUse, purpose: "map", fullAccuracy: true, time: time(5))
        #expect(table.record(asked, of: subject) == .changed)
        #expect(table.entries[subject]?.pending == .init(level: false, fullAccuracy: true))
        table.decide(decision(.authorizedAlways, at: 10), about: subject, for: Term(duration: 60, at: start))
        #expect(table.entries[subject]?.isPending == false)
        _ = table.endTerms(at: later(60))
        #expect(table.entries[subject]?.isPending == false)
        #expect(table.record(asked, of: subject) == .changed, "it may be requested again")
    }

    @Test func requestForFullAccuracyWithdrawsNothing() {
        var table = DecisionTable()
        table.decide(decision(.authorizedWhenInUse, .reduced), about: subject)
        #expect(table.record(request(.always, "track", at: 5), of: subject) == .changed)
        let full = AuthorizationRequest(.whenInUse, purpose: "map", fullAccuracy: true, time: time(6))
        #expect(table.record(full, of: subject) == .changed)
        #expect(table.entries[subject]?.pending == .init(level: true, fullAccuracy: true))
        #expect(table.record(request(.always, "track", at: 7), of: subject) == .changed)
        #expect(table.entries[subject]?.pending == .init(level: true, fullAccuracy: true))
        table.decide(decision(.authorizedAlways, .reduced, at: 8), about: subject)
        #expect(table.entries[subject]?.isPending == false, "that is the answer: no")
    }

    @Test func rulesOfThePolicyWin() {
        let reduced = PolicyRule(.uid(1000), .ask, accuracy: .reduced, origin: "policy.toml:3")
        let policy = AccessPolicy(daemonUID: 990, group: nil, groupName: "locationd", rules: [reduced])
        let authority = Authority(policy: policy, decisions: .known(table(nil)))
        let principal = Principal(uid: 1000, pid: 1, groups: [])
        #expect(authority.verdict(for: principal).accuracy == .reduced)
        #expect(!authority.mayGrantFullAccuracy(to: principal))
        #expect(policy.reduction(of: subject) == reduced && policy.restriction(of: subject) == nil)
        let free = Authority(
            policy: AccessPolicy(daemonUID: 990, group: nil, groupName: "locationd"), decisions: .known(table(nil)))
        #expect(free.verdict(for: principal).accuracy == .full && free.verdict(for: principal).term != nil)
        #expect(free.mayGrantFullAccuracy(to: principal))
    }

    @Test func fileHoldsTermAndRequest() throws {
        var table = table(decision(.authorizedWhenInUse, .reduced))
        _ = table.record(
            AuthorizationRequest(.always, purpose: nil, fullAccuracy: true, time: time(20)), of: subject)
        let read = try DecisionTable(decoding: table.encoded())
        #expect(read.entries[subject]?.request == table.entries[subject]?.request)
        #expect(read.entries[subject]?.decision == table.entries[subject]?.decision)
        #expect(read.entries[subject]?.temporary == table.entries[subject]?.temporary)
    }

    @Test(arguments: [
        #""duration":0"#, #""duration":-1"#, #""duration":31536001"#, #""duration":3600,"more":1"#,
    ])
    func damagedTermIsRefused(duration: String) {
        let content =
            #""entries":{"uid:1":{"temporary":{"decision":{"accuracy":"full","answer":"authorizedAlways","by":"uid:0","#
            + #""time":"2026-01-01T00:00:00.000Z"},"term":{"deadline":1.5,\#(duration),"until":"2026-01-01T01:00:00.000Z"}"#
            + #"}}},"version":1}"#
        #expect(throws: DecisionTable.CodingFailure.self) {
            _ = try DecisionTable(decoding: DecisionTable.sealed(Array(content.utf8)))
        }
    }
}
