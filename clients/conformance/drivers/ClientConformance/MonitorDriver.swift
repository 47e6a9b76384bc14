import LocationKit

/// Regions, significant changes and visits by `LocationMonitor`.
enum MonitorDriver {
    /// Runs until the reporter ends the process.
    static func run(_ call: Call, _ reporter: Reporter) async throws {
        let request = try call.options(as: MonitorRequest.self)
        let monitor = LocationMonitor(
            name: request.name, regions: request.subjects?.regions ?? [],
            significantChange: request.subjects?.significantChange, visits: request.subjects?.visits ?? false,
            configuration: LocationConfiguration(purpose: request.purpose))
        monitor.addObserver(Observer<ServiceStatus> { reporter.report($0) })
        monitor.addObserver(Observer<RegionReport> { reporter.reportUpdate(.region($0)) })
        monitor.addObserver(Observer<Location> { reporter.reportUpdate(.location($0)) })
        monitor.addObserver(Observer<Visit> { reporter.reportUpdate(.visit($0)) })
        monitor.addObserver(
            Observer<LocationError> { [weak monitor] error in
                reporter.report(error)
                if case .noSuchMonitor = error, monitor?.isMonitoring == false { reporter.finish() }
            })
        monitor.start()
        await suspend(keeping: monitor)
    }
}
