import LocationModel

/// What the program asks.
extension MonitorState {
    mutating func start() {
        guard !isRetired else { return }
        isMonitoring = true
        isForgotten = false
    }

    mutating func add(_ region: Region) {
        let known = subjects.region(region.identifier)
        if let shape = (known ?? leaving[region.identifier])?.shape, shape != region.shape { forget(region.identifier) }
        subjects.add(region)
        leaving[region.identifier] = nil
        removed.remove(region.identifier)
        isForgotten = false
        // The service has not heard that it was removed, and so does not begin anew.
        if known == nil, let report = told.report(of: region.identifier) { reports.tell(report, &outbox) }
    }

    mutating func remove(_ identifier: String) {
        if let region = subjects.region(identifier) { leaving[identifier] = region }
        subjects.remove([identifier])
        keptReports[identifier] = nil
        if !isLoaded { removed.insert(identifier) }
    }

    mutating func setSignificantChange(_ change: SignificantChange?) {
        subjects.significantChange = change
        hasSetSignificantChange = true
        if change != nil { isForgotten = false }
    }

    mutating func setVisits(_ visits: Bool) {
        subjects.visits = visits
        hasSetVisits = true
        if visits { isForgotten = false }
    }

    /// Takes up what is kept under the name, as far as the program has not changed it.
    mutating func load(_ kept: NamedMonitor?) {
        guard !isLoaded else { return }
        isLoaded = true
        isKept = kept != nil
        var all = MonitorSubjects(lastOfEach: (kept?.subjects.regions ?? []) + subjects.regions)
        all.remove(removed)
        all.significantChange = hasSetSignificantChange ? subjects.significantChange : kept?.subjects.significantChange
        all.visits = hasSetVisits ? subjects.visits : kept?.subjects.visits ?? false
        for report in kept?.reports ?? [] {
            // What was changed meanwhile is another region.
            let (old, new) = (kept?.subjects.region(report.identifier), all.region(report.identifier))
            if old != nil, old?.shape == new?.shape { keptReports[report.identifier] = report }
        }
        subjects = all
        removed = []
    }

    mutating func forget(_ identifier: String) {
        told.forget(identifier)
        keptReports[identifier] = nil
        leaving[identifier] = nil
    }

    mutating func removeObservers() {
        reports.removeObservers(&outbox)
        locations.removeObservers(&outbox)
        visits.removeObservers(&outbox)
        statuses.removeObservers(&outbox)
        errors.removeObservers(&outbox)
    }

    /// The monitor is gone: nobody can stop it any more, or remove an observer.
    mutating func retire() {
        isRetired = true
        isMonitoring = false
        removeObservers()
    }
}
