@_spi(Programs) import LocationModel

/// Drops repeated reports of regions after a reconnect, and infers events that were missed: a pure value.
///
/// The service starts from scratch with each connection, and after a crash may know less than its clients. So a state
/// that is known already is dropped, a state that differs from it is reported as the event that must have happened, and
/// a repeated event is dropped: between two entries there is always an exit.
struct RegionEventDeduplicator {
    private var reports: [String: RegionReport] = [:]
    /// Regions whose dwell event was reported since they were entered.
    private var dwelt: Set<String> = []

    /// The last report, with the newest fix that confirms it.
    func report(of identifier: String) -> RegionReport? { reports[identifier] }

    mutating func forgetRegion(_ identifier: String) {
        reports[identifier] = nil
        dwelt.remove(identifier)
    }

    /// The reports to publish, in order.
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

    /// A report of a state without an event.
    private mutating func applyState(_ report: RegionReport) -> [RegionReport] {
        switch (state(of: report), report.state) {
        case (nil, _), (.unknown, .inside), (.unknown, .outside): return record(report, isNew: true)
        case (.outside, .inside): return enter(report.with(.entered))
        case (.inside, .outside): return exit(report.with(.exited))
        case (.inside, .inside), (.outside, .outside): return record(report, isNew: false)
        // A new connection does not invalidate what is known.
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
