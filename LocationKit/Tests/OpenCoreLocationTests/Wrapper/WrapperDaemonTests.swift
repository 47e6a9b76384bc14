#if canImport(OpenCombine)
    import ClientTestSupport
    @_spi(Programs) import OpenCoreLocation
    import TestSupport
    import Testing

    /// Programs as they are written for Apple's framework, with the daemon.
    @MainActor
    struct WrapperDaemonTests {
        @Test(.enabled(if: Products.areBuilt, "no daemon is built: see README.md"))
        func programsFindTheirWayThroughTheDaemon() async throws {
            let daemon = try await DaemonProcess.started(flags: ["--simulate"])
            try await LocationBackend.$current.withValue(daemon.backend) {
                try await eventually("the service is on") { CLLocationManager.locationServicesEnabled() }
                try await eventually("all is allowed") { CLLocationManager.authorizationStatus() == .authorizedAlways }

                let closures = ClosureLocationManager()
                var statuses: [CLAuthorizationStatus] = []
                var locations: [CLLocation] = []
                closures.onAuthorization = { statuses.append($0) }
                closures.onLocations = { locations += $0 }
                closures.start()
                try await eventually("three locations are delivered") { locations.count >= 3 }
                closures.stop()
                #expect(statuses == [.authorizedAlways])
                #expect(
                    locations.allSatisfy { CLLocationCoordinate2DIsValid($0.coordinate) && $0.horizontalAccuracy >= 0 })
                #expect(zip(locations, locations.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
                #expect(locations.first?.sourceInformation?.isSimulatedBySoftware == true)

                let retriever = LocationRetriever()
                var retrieved: Result<CLLocation, any Error>?
                retriever.retrieve { retrieved = $0 }
                try await eventually("a location is retrieved") { retrieved != nil }
                #expect(throws: Never.self) { try retrieved?.get() }

                var updates = CLLocationUpdate.liveUpdates().makeAsyncIterator()
                var live: CLLocation?
                while live == nil, let update = try await updates.next() { live = update.location }
                #expect(live != nil)
            }
            try await daemon.end()
        }

        @Test(.enabled(if: Products.areBuilt, "no daemon is built: see README.md"))
        func aProgramLearnsThatTheDaemonHasEnded() async throws {
            let daemon = try await DaemonProcess.started(flags: ["--simulate"])
            try await LocationBackend.$current.withValue(daemon.backend) {
                let program = ObservableLocation()
                try await eventually("a location is delivered") { program.location != nil }
                #expect(program.errorText == nil)
                try await daemon.end()
                try await eventually("the failure is delivered") { program.errorText != nil }
                #expect(program.status == .authorizedAlways)
                #expect(!CLLocationManager.locationServicesEnabled())
            }
        }

        @Test(.enabled(if: Products.areBuilt, "no daemon is built: see README.md")) func hundredsOfManagersComeAndGo()
            async throws
        {
            let daemon = try await DaemonProcess.started(flags: ["--simulate"])
            try await LocationBackend.$current.withValue(daemon.backend) {
                for _ in 0..<3 {
                    let delegates = (0..<100).map { _ in RecordingDelegate() }
                    let managers = delegates.map { delegate in
                        let manager = CLLocationManager()
                        manager.delegate = delegate
                        manager.startUpdatingLocation()
                        return manager
                    }
                    try await eventually("every delegate receives a location") {
                        delegates.allSatisfy { $0.calls.contains { if case .locations = $0 { true } else { false } } }
                    }
                    #expect(managers.allSatisfy { $0.location != nil })
                }
            }
            try await daemon.end()
        }
    }

    extension DaemonProcess {
        fileprivate var backend: LocationBackend { .daemon(at: socket) }
    }
#endif
