@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// What `diagnose` concludes, from the status rather than from a location that was there before.
@Suite struct DiagnosisTests {
    private func fix(_ source: String = "bow") throws -> Aged<Location> {
        var location = try MonitorSamples.location()
        location.source = SourceInformation(name: source)
        return Aged(location, age: 0.2)
    }

    private func delivery(_ sources: [RankedSource]) throws -> Diagnosis {
        var (diagnosis, status) = (Diagnosis(), MonitorSamples.status())
        status.sources = sources
        diagnosis.delivery(try fix(), status)
        return diagnosis
    }

    @Test func allThatDeliversIsSoundAndSaidToWork() throws {
        let diagnosis = try delivery([
            RankedSource(name: "bow", state: .tracking), RankedSource(name: "desk", state: .stopped),
        ])
        #expect(diagnosis.isSound && diagnosis.lines.last == "Everything works.", "\(diagnosis.lines)")
    }

    @Test func aSourceThatIsOffOrWithoutAFixIsNotEverything() throws {
        let off = RankedSource(name: "roof", state: .stopped, reason: "roof is switched off by an administrator")
        let searching = RankedSource(name: "roof", state: .searching)
        for source in [off, searching] {
            let diagnosis = try delivery([source, RankedSource(name: "bow", state: .tracking)])
            #expect(diagnosis.isSound && diagnosis.lines.last == "Nothing is broken; see the lines with [--].")
            #expect(
                diagnosis.lines.contains("[--] source      \(source.reason ?? "roof: no fix")"), "\(diagnosis.lines)")
        }
    }

    @Test func aSourceThatCannotBeReachedIsBrokenThoughAnotherDelivers() throws {
        let diagnosis = try delivery([
            RankedSource(name: "bow", state: .tracking),
            RankedSource(name: "roof", state: .unavailable, reason: "nothing listens"),
        ])
        #expect(!diagnosis.isSound && diagnosis.lines.contains("[!!] source      roof: nothing listens"))
        #expect(!diagnosis.lines.contains("Everything works."))
    }

    @Test func theLocationOfTheFirstReplyProvesNothing() throws {
        var evidence = FixEvidence()
        let first = evidence.apply(WatchReply(status: MonitorSamples.status(), location: try fix()))
        #expect(first == nil && !evidence.isHopeless)
        let sleeping = MonitorSamples.status(.stopped, reason: "the machine is going to sleep")
        let second = evidence.apply(WatchReply(status: sleeping))
        #expect(second == nil && evidence.isHopeless)
        var diagnosis = Diagnosis()
        diagnosis.explain(evidence, 15)
        #expect(diagnosis.lines == ["[!!] source      the machine is going to sleep"])
    }

    @Test func aLaterLocationIsAFix() throws {
        var evidence = FixEvidence()
        _ = evidence.apply(WatchReply(status: MonitorSamples.status(), location: try fix()))
        let second = evidence.apply(WatchReply(location: try fix()))
        #expect(second != nil)
    }

    @Test func silenceSinceTheKnownLocationIsSaid() throws {
        var evidence = FixEvidence()
        _ = evidence.apply(WatchReply(status: MonitorSamples.status(), location: try fix()))
        var diagnosis = Diagnosis()
        diagnosis.explain(evidence, 15)
        #expect(
            !diagnosis.isSound && diagnosis.lines.first?.contains("none has come for 15 s") == true,
            "\(diagnosis.lines)")
    }

    /// Where a new location comes every ten minutes.
    @Test func withReducedAccuracyTheFirstIsTakenUnlessTheStatusSaysWhyNot() throws {
        var status = MonitorSamples.status()
        status.accuracy = .reduced
        var evidence = FixEvidence()
        let taken = evidence.apply(WatchReply(status: status, location: try fix()))
        #expect(taken != nil)
        status.reason = "the battery is at 8 %"
        evidence = FixEvidence()
        let refused = evidence.apply(WatchReply(status: status, location: try fix()))
        #expect(refused == nil)
    }

    @Test func whoWaitsIsSaid() throws {
        func report(_ uid: Int, pending: Bool = true) -> AuthorizationReport {
            AuthorizationReport(
                principal: "uid:\(uid)", authorization: .notDetermined, pending: pending, connections: 0)
        }
        var diagnosis = Diagnosis()
        diagnosis.requests(AuthorizationList(authorizations: [report(4_000_001, pending: false)]))
        #expect(diagnosis.steps.isEmpty)
        diagnosis.requests(AuthorizationList(authorizations: [report(4_000_001), report(4_000_002)]))
        try #require(diagnosis.steps.count == 1)
        #expect(diagnosis.lines[0].hasPrefix("[--] requests    2 wait for a decision: "), "\(diagnosis.lines)")
        #expect(diagnosis.lines[1].contains("`sudo locctl authorize uid:4000001`"))
        #expect(diagnosis.isSound && !diagnosis.lines.contains("Everything works."))
    }

    @Test func administratorsWithoutPermissionHearOfTheSources() {
        var statistics = Statistics()
        var off = SourceReport(name: "roof", running: false, fixes: 0, counters: [:], reason: nil)
        off.enabled = false
        statistics.sources = [
            off, SourceReport(name: "bow", running: true, fixes: 3, counters: [:], reason: nil),
            SourceReport(
                name: "mast", running: true, fixes: 0, counters: [:], reason: "nothing listens on 10.0.0.1:2947"),
            SourceReport(name: "desk", running: false, fixes: 0, counters: [:], reason: nil),
        ]
        statistics.receivers = [
            ReceiverReport(source: "bow", device: nil, followed: true, hasFix: true, fixAge: 0, interval: 1)
        ]
        statistics.battery = BatteryReport(level: 8, discharging: true, minimum: 10, low: true, faults: 0)
        var diagnosis = Diagnosis()
        diagnosis.battery(statistics)
        diagnosis.sources(statistics)
        #expect(diagnosis.steps.map(\.link) == ["battery", "source", "source", "source", "source"])
        #expect(diagnosis.steps.map(\.isSound) == [false, true, true, false, true])
        #expect(diagnosis.steps.map { $0.isOpen == true } == [false, true, false, false, true])
        #expect(diagnosis.lines.contains("[ok] source      bow delivers"), "\(diagnosis.lines)")
        #expect(diagnosis.lines.contains { $0.contains("`sudo locctl source roof on` switches it on") })
    }
}
