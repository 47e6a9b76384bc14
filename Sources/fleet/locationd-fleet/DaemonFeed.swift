import Fleet
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// Passes on to the publisher what the daemon says, while the publisher needs it. At other times the daemon is asked
/// for nothing, so that no receiver runs because of this program.
struct DaemonFeed {
    private let publisher: FleetPublisher
    private let manager: LocationManager
    private let regions: [Region]
    private let access: LocationConfiguration

    init(_ publisher: FleetPublisher, _ policy: ReportPolicy, _ regions: [Region], _ access: LocationConfiguration) {
        (self.publisher, self.regions, self.access) = (publisher, regions, access)
        manager = LocationManager(access)
        // The daemon sends no more than is needed. Its fixes come a little early at times.
        // Among estimates a prediction, which is not published, would begin an interval.
        manager.minimumInterval = policy.estimates ? nil : policy.interval
        manager.requiredAccuracy = policy.requiredAccuracy
        manager.estimate = policy.estimates
    }

    /// Runs until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Where nobody has decided, the request is pending for an administrator; where the daemon is away, the
                // updates say so.
                _ = try? await manager.requestAuthorization(for: .always, startUpdating: false)
            }
            var needs = publisher.needs.makeAsyncIterator()
            while let isNeeded = await needs.next() {
                guard isNeeded else { continue }
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await receiveLocations() }
                    if !regions.isEmpty { group.addTask { await receiveTransitions() } }
                    while await needs.next() == true {}
                    group.cancelAll()
                }
            }
        }
    }

    private func receiveLocations() async {
        for await report in manager.updates {
            switch report {
            // Where the device is said to be is where it was measured to be.
            case .location(let location) where location.basis == .predicted: continue
            case .location(let location):
                await publisher.applyLocation(location, isReduced: manager.accuracyAuthorization != .full)
            case .noLocation(let error): await publisher.applyAbsence(error.description, isFault: error.isFault)
            }
        }
    }

    private func receiveTransitions() async {
        // By its name the daemon remembers the states, and reports what has changed since this program was connected.
        let monitor = LocationMonitor(name: "locationd-fleet", regions: regions, configuration: access)
        for await report in monitor.regionReports {
            guard let location = report.location else { continue }
            switch report.event {
            case .entered?: await publisher.applyTransition(.enter, region: report.identifier, at: location)
            case .exited?: await publisher.applyTransition(.leave, region: report.identifier, at: location)
            case .dwelled?, .unknown?, nil: continue
            }
        }
    }
}

extension LocationError {
    /// Whether this service does not do what it is there for because of it. A receiver without a fix and a switch that
    /// an administrator has turned are the daemon's to say.
    fileprivate var isFault: Bool {
        switch self {
        case .unavailable, .timedOut, .disabled: false
        default: true
        }
    }
}
