@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Which reports of a region are new.
@Suite struct RegionEventDeduplicatorTests {
    private func report(_ state: RegionState, _ event: RegionEvent? = nil, of identifier: String = "home")
        -> RegionReport
    {
        RegionReport(identifier: identifier, state: state, event: event)
    }

    /// The reports that are delivered for these, one after the other.
    private func news(_ reports: RegionReport...) -> [RegionReport] {
        var received = RegionEventDeduplicator()
        return reports.flatMap { received.newReports(for: $0) }
    }

    @Test func aStateIsDeliveredOnce() {
        #expect(news(report(.unknown), report(.unknown)) == [report(.unknown)])
        #expect(news(report(.inside), report(.inside)) == [report(.inside)])
        #expect(news(report(.unknown), report(.outside)) == [report(.unknown), report(.outside)])
        #expect(news(report(.outside), report(.unknown), report(.outside)) == [report(.outside)])
    }

    @Test func aStateThatDiffersIsTheEventThatWasMissed() {
        #expect(news(report(.inside), report(.outside)).last == report(.outside, .exited))
        #expect(news(report(.outside), report(.unknown), report(.inside)).last == report(.inside, .entered))
    }

    @Test func anEventIsDeliveredOnce() {
        let entered = report(.inside, .entered)
        let left = report(.outside, .exited)
        #expect(news(entered, entered, report(.inside)) == [entered])
        #expect(news(report(.outside), left) == [report(.outside)])
        #expect(news(entered, left, entered) == [entered, left, entered])
    }

    @Test func aDwellIsReportedOnceAndAfterItsEntry() {
        let (entered, dwelled) = (report(.inside, .entered), report(.inside, .dwelled))
        let left = report(.outside, .exited)
        #expect(news(entered, dwelled, dwelled) == [entered, dwelled])
        #expect(news(left, dwelled) == [left, entered, dwelled])
        #expect(news(entered, dwelled, left, entered, dwelled) == [entered, dwelled, left, entered, dwelled])
    }

    @Test func theNewestFixIsStoredWithARepeatedState() throws {
        var received = RegionEventDeduplicator()
        for seconds in [1.0, 2] {
            var report = report(.inside)
            report.location = try SharingScript.location(seconds)
            _ = received.newReports(for: report)
        }
        #expect(received.report(of: "home")?.location?.monotonicTime == BootInstant(seconds: 2))
        #expect(received.report(of: "home")?.event == nil)
        received.forgetRegion("home")
        #expect(received.report(of: "home") == nil)
    }

    /// Whatever a daemon reports, and however often it starts anew.
    @Test func entriesAndExitsAlternate() {
        var random = SeededGenerator(seed: 8)
        let events: [RegionEvent?] = [nil, nil, .entered, .exited, .dwelled, .unknown]
        for _ in 1...200 {
            var received = RegionEventDeduplicator()
            var last: [String: RegionEvent] = [:]
            for _ in 1...100 {
                let identifier = Bool.random(using: &random) ? "a" : "b"
                let event = events.randomElement(using: &random) ?? nil
                let state: RegionState =
                    switch event {
                    case .entered, .dwelled: .inside
                    case .exited: .outside
                    default: [.unknown, .inside, .outside].randomElement(using: &random) ?? .unknown
                    }
                for news in received.newReports(for: report(state, event, of: identifier)) {
                    guard let event = news.event, event == .entered || event == .exited else { continue }
                    #expect(last[identifier] != event)
                    last[identifier] = event
                }
                if state != .unknown { #expect(received.report(of: identifier)?.state == state) }
            }
        }
    }
}
