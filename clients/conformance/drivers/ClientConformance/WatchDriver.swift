import LocationKit

/// A watch by `LocationManager`, which outlives the daemon, where its settings express the options; else by
/// `LocationClient.updates`, which has every option of the interface and `dropped`, and ends with the connection.
enum WatchDriver {
    private static let managersOptions: Set = [
        "distanceFilter", "requiredAccuracy", "desiredAccuracy", "minimumInterval", "maximumDelay", "activityType",
        "pausesAutomatically", "location", "heading", "headingFilter", "estimate", "purpose", "maximumUpdates",
    ]

    /// Runs until the reporter ends the process.
    static func run(_ call: Call, _ reporter: Reporter) async throws {
        let request = try call.options(as: WatchRequest.self)
        // Whoever asks for updates one by one uses the sequence.
        if call.pauseAfter == nil, try call.optionNames().isSubset(of: managersOptions) {
            await watchByManager(request, reporter)
        } else {
            await watchByClient(request, reporter)
        }
    }

    private static func watchByManager(_ request: WatchRequest, _ reporter: Reporter) async {
        let manager = LocationManager(LocationConfiguration(purpose: request.purpose))
        manager.changeSettings { settings in
            settings.distanceFilter = request.distanceFilter
            settings.requiredAccuracy = request.requiredAccuracy
            settings.desiredAccuracy = request.desiredAccuracy
            settings.minimumInterval = request.minimumInterval
            settings.maximumDelay = request.maximumDelay
            settings.headingFilter = request.headingFilter
            settings.activityType = request.activityType ?? .other
            settings.pausesAutomatically = request.pausesAutomatically
            settings.estimate = request.estimate
        }
        manager.addObserver(
            Observer<Location> { [weak manager] location in
                reporter.reportUpdate(.location(location, dropped: manager?.dropped ?? 0))
                if manager?.isUpdating == false { reporter.finish(.end) }
            })
        manager.addObserver(Observer<Heading> { reporter.reportUpdate(.heading($0)) })
        manager.addObserver(Observer<ConnectionState> { if $0 == .connected { reporter.endOutage() } })
        manager.addObserver(Observer<LocationError> { reporter.report($0) })
        if let count = request.maximumUpdates {
            manager.startUpdating(maximumUpdates: count)
        } else if request.location {
            manager.startUpdating()
        }
        if request.heading { manager.startUpdatingHeading() }
        // The last, because a status alone is another watch.
        manager.addObserver(Observer<ServiceStatus> { reporter.report($0) })
        await suspend(keeping: manager)
    }

    private static func watchByClient(_ request: WatchRequest, _ reporter: Reporter) async {
        do {
            for try await update in LocationClient().updates(request) {
                let dropped = reporter.addDropped(update.dropped)
                if let status = update.status { reporter.report(status) }
                if let location = update.location { reporter.reportUpdate(.location(location, dropped: dropped)) }
                if let heading = update.heading { reporter.reportUpdate(.heading(heading)) }
                if let satellites = update.satellites { reporter.reportUpdate(.satellites(satellites)) }
            }
        } catch {
            reporter.finish(.error(error as? LocationError ?? .protocolViolation("\(error)")))
        }
        reporter.finish(.end)
    }
}

/// Suspends until the process ends, and keeps the object so long.
func suspend(keeping object: AnyObject) async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime((object, continuation)) {}
}
