import LocationModel
import Logging

/// What the service tells.
extension MonitorState {
    mutating func receive(_ news: MonitorTransportEvent) {
        // What was on its way when the last wish ended is no news of the next connection.
        guard toldWish != nil else { return }
        switch news {
        case .kept(let kept): load(kept)
        case .connected: break
        case .disconnected(let error):
            (status, obstacle) = (nil, nil)
            statuses.forgetTold()
            if case .noSuchMonitor = error { beForgotten() }
            tell(error)
        case .refused(let error): tell(error)
        case .status(let status): take(status)
        case .removed(let identifiers): for identifier in identifiers { forget(identifier) }
        case .region(let report):
            let isMonitored = subjects.region(report.identifier) != nil
            guard isMonitored || leaving[report.identifier] != nil else { return }
            let news = told.news(in: report)
            if isMonitored { for report in news { reports.tell(report, &outbox) } }
        case .significantChange(let location): locations.tell(location, &outbox)
        case .visit(let visit): visits.tell(visit, &outbox)
        }
    }

    private mutating func take(_ status: ServiceStatus) {
        self.status = status
        statuses.tellChange(status, &outbox)
        let present = LocationError(status)
        if let present, present != obstacle { tell(present) }
        obstacle = present
    }

    private mutating func beForgotten() {
        isForgotten = true
        isMonitoring = false
        isKept = false
        subjects = MonitorSubjects()
        keptReports = [:]
    }

    private mutating func tell(_ error: LocationError) {
        errors.tell(error, &outbox)
        let logger = configuration.logger
        outbox.append { logger.info("monitoring fails", metadata: ["error": "\(error)"]) }
    }
}
