import LocationModel

/// What was told of regions, and so what is news: a pure value.
///
/// The service begins anew with each connection, and after a crash may know less than its clients were told. So a state
/// that was told already is no news, a state that differs from it is the event that must have been, and what repeats an
/// event is left out: between two entries there is always an exit.
struct RegionEventDeduplicator {
    private var reports: [String: RegionReport] = [:]
    /// Those whose dwell was told since they were entered.
    private var dwelt: Set<String> = []

    /// What was told last, with the newest fix that says the same.
    func report(of identifier: String) -> RegionReport? { reports[identifier] }

    mutating func forgetRegion(_ identifier: String) {
        reports[identifier] = nil
        dwelt.remove(identifier)
    }

    /// What is to be told, in order.
    mutating func newReports(for report: RegionReport) -> [RegionReport] {
        switch report.event {
        case .entered: return enter(report)
        case .exited: return exit(report)
        case .dwelled: return enter(report.with(.entered)) + dwell(report)
        case nil, .unknown: return applyState(report)
        }
    }

    private func state(of report: RegionReport) -> RegionState? { reports[report.identifier]?.state }

    private mutating func enter(_ report: RegionReport) -> [RegionReport] {
        let isNew = state(of: report) != .inside
        return record(report, isNew: isNew)
    }

    private mutating func exit(_ report: RegionReport) -> [RegionReport] {
        let isNew = state(of: report) != .outside
        dwelt.remove(report.identifier)
        return record(report, isNew: isNew)
    }

    private mutating func dwell(_ report: RegionReport) -> [RegionReport] {
        record(report, isNew: dwelt.insert(report.identifier).inserted)
    }

    /// A state without an event.
    private mutating func applyState(_ report: RegionReport) -> [RegionReport] {
        switch (state(of: report), report.state) {
        case (nil, _), (.unknown, .inside), (.unknown, .outside): return record(report, isNew: true)
        case (.outside, .inside): return enter(report.with(.entered))
        case (.inside, .outside): return exit(report.with(.exited))
        case (.inside, .inside), (.outside, .outside): return record(report, isNew: false)
        // A new connection does not unmake what is known.
        case (_, .unknown): return []
        }
    }

    private mutating func record(_ report: RegionReport, isNew: Bool) -> [RegionReport] {
        reports[report.identifier] = report.with(nil)
        return isNew ? [report] : []
    }
}

extension RegionReport {
    fileprivate func with(_ event: RegionEvent?) -> RegionReport {
        RegionReport(identifier: identifier, state: state, event: event, location: location)
    }
}
