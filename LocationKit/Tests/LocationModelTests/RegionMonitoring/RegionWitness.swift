@_spi(Programs) import LocationModel

@_spi(Programs) @testable import RegionMonitoring

/// Knows where the machine really is, and what was told of a region so far; says what is wrong with it.
struct RegionWitness {
    private(set) var known: RegionState?
    private(set) var events = 0
    private let dwell: Double?
    private var isRestarted = false
    private var arrival: BootInstant?
    private var hasDwelled = false
    /// Since when each fix was so far on one side that the receiver's error cannot matter.
    private var plain: (state: RegionState, since: BootInstant)?

    init(_ region: Region) { dwell = region.dwell }

    /// What was told goes on to count; what was not is forgotten.
    mutating func restart() { (isRestarted, arrival, plain) = (true, nil, nil) }

    /// What is wrong with what is told of a fix; `nil` if nothing is.
    mutating func see(_ step: RandomTrack.Step, _ reports: [RegionReport]) -> String? {
        let now = step.fix.monotonicTime
        for report in reports {
            guard report.location == step.fix else { return "another fix is named" }
            if let wrong = report.event == .dwelled ? nil : change(report, step) { return wrong }
        }
        let circle = step.fix.horizontalAccuracy ?? 100
        let isDue =
            known == .inside && !hasDwelled && step.measured >= circle
            && arrival.flatMap { arrival in dwell.map { now >= arrival.advanced(bySeconds: $0) } } == true
        guard isDue == (reports.last?.event == .dwelled) else { return isDue ? "no dwell" : "a dwell too early" }
        if isDue { (hasDwelled, events) = (true, events + 1) }
        return overdue(step, circle: circle)
    }

    private mutating func change(_ report: RegionReport, _ step: RandomTrack.Step) -> String? {
        switch (report.event, known, report.state) {
        case (.entered, .outside, .inside), (.exited, .inside, .outside): events += 1
        case (nil, nil, .inside), (nil, nil, .outside): break
        case (nil, let known?, let state) where isRestarted && known == state: break
        default: return "\(report.event, default: "nothing") and \(report.state) after \(known, default: "nothing")"
        }
        // Farther on the other side than twice the accuracy.
        let truth = report.state == .inside ? step.truth : -step.truth
        if truth < -2 * step.accuracy { return "\(report.state), which is \(-truth) m wrong" }
        if report.state != known { hasDwelled = false }
        (known, isRestarted) = (report.state, false)
        arrival = report.state == .inside ? step.fix.monotonicTime : nil
        return nil
    }

    private mutating func overdue(_ step: RandomTrack.Step, circle: Double) -> String? {
        let now = step.fix.monotonicTime
        let error = 3.5 * step.accuracy
        let state: RegionState? =
            step.truth >= circle + error ? .inside : -step.truth >= max(circle, 20) + error ? .outside : nil
        guard let state else {
            plain = nil
            return nil
        }
        guard let plain, plain.state == state else {
            self.plain = (state, now)
            return nil
        }
        let isOverdue = now >= plain.since.advanced(bySeconds: 0.5) && (known != state || isRestarted)
        return isOverdue ? "\(state) is not told" : nil
    }
}
