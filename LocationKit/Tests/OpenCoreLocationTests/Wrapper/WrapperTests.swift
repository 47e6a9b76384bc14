#if canImport(OpenCombine)
    @_spi(Programs) import LocationKit
    @_spi(Programs) import LocationKitTesting
    @_spi(Programs) import LocationModel
    import OpenCombine
    @_spi(Programs) import OpenCoreLocation
    import TestSupport
    import Testing

    /// Programs as they are written for Apple's framework, over a scripted service.
    @MainActor
    struct WrapperTests {
        private func make<Program>(
            over fake: FakeLocationManager, headingAvailable: Bool? = nil, _ body: () async throws -> Program
        ) async rethrows -> Program {
            try await LocationBackend.$current.withValue(
                backend(fake, headingAvailable: headingAvailable), operation: body)
        }

        @Test func closuresAreCalledFromTheDecisionToTheDenial() async {
            let fake = FakeLocationManager(authorization: .notDetermined)
            await make(over: fake, headingAvailable: true) {
                let program = ClosureLocationManager()
                var received: [String] = []
                program.onAuthorization = { received.append("status \($0.rawValue)") }
                program.onLocations = { received += $0.map { "location \($0.coordinate.latitude)" } }
                program.onHeading = { received.append("heading \($0.magneticHeading)") }
                program.onError = { received.append("error \($0.code.rawValue)") }
                program.start()
                await mainQueueTurn()
                #expect(fake.pendingAuthorizationRequests == [.whenInUse])
                fake.authorizationStatus = .authorizedWhenInUse
                await mainQueueTurn()
                fake.send(latitude: 1, longitude: 0)
                fake.send(latitude: 2, longitude: 0, horizontalAccuracy: nil)
                fake.send(Heading(magnetic: 90))
                fake.send(Heading(magnetic: 92))
                await mainQueueTurn()
                fake.authorizationStatus = .denied
                await mainQueueTurn()
                #expect(
                    received == [
                        "status 0", "status 4", "location 1.0", "location 2.0", "heading 90.0", "status 2", "error 1",
                    ])
                #expect(!fake.isReceiverWanted)
                #expect(!fake.isCompassWanted)
            }
        }

        @Test func anObservableObjectChanges() async {
            let fake = FakeLocationManager(authorization: .notDetermined)
            await make(over: fake) {
                let program = ObservableLocation()
                var texts: [String] = []
                let subscription = program.$coordinateText.sink { texts.append($0) }
                #expect(program.status == .notDetermined)
                fake.authorizationStatus = .authorizedAlways
                await mainQueueTurn()
                #expect(program.status == .authorizedAlways)
                fake.send(latitude: 48.8584, longitude: 2.2945)
                await mainQueueTurn()
                #expect(texts == ["–", "48.858, 2.295"])
                #expect(program.location?.horizontalAccuracy == 5)
                fake.disconnect(.daemonNotRunning(path: "/nowhere", reason: "none"))
                await mainQueueTurn()
                #expect(program.errorText?.contains("systemctl start locationd") == true)
                subscription.cancel()
            }
        }

        @Test func subjectsForward() async {
            let fake = FakeLocationManager()
            await make(over: fake) {
                let program = LocationPipeline()
                var authorized: [Bool] = []
                var steps: [Double] = []
                var denials: [Bool] = []
                let subscriptions = [
                    program.isAuthorized.sink { authorized.append($0) },
                    program.steps.sink { steps.append($0.rounded()) },
                    program.isDenied.sink { denials.append($0) },
                ]
                program.start()
                for latitude in [0, 0.001, 0.003] {
                    fake.send(latitude: latitude, longitude: 0)
                    await mainQueueTurn()
                }
                fake.authorizationStatus = .denied
                await mainQueueTurn()
                #expect(authorized == [true, false])
                #expect(steps == [111, 221])
                #expect(denials == [true])
                withExtendedLifetime(subscriptions) { program.stop() }
            }
        }

        private final class Walker: LocationHubObserver {
            var places: [Double] = []
            var hasPermission = true

            func hub(_ hub: LocationHub, didMoveTo location: CLLocation) { places.append(location.coordinate.latitude) }
            func hubDidLosePermission(_ hub: LocationHub) { hasPermission = false }
        }

        @Test func aSharedManagerServesManyObservers() async {
            let fake = FakeLocationManager()
            await make(over: fake) {
                let hub = LocationHub()
                let one = Walker()
                let other = Walker()
                #expect(!fake.isReceiverWanted)
                hub.add(one)
                hub.add(one)
                hub.add(other)
                #expect(fake.demand == LocationFilter(distance: 10, interval: 0))
                fake.send(latitude: 1, longitude: 0)
                fake.send(latitude: 1.00001, longitude: 0)
                await mainQueueTurn()
                hub.remove(one)
                fake.send(latitude: 2, longitude: 0)
                await mainQueueTurn()
                #expect(one.places == [1])
                #expect(other.places == [1, 2])
                #expect(hub.lastLocation?.coordinate.latitude == 2)
                fake.authorizationStatus = .denied
                await mainQueueTurn()
                #expect(!other.hasPermission)
                hub.remove(other)
                #expect(!fake.isReceiverWanted)
            }
        }

        /// The program's own double.
        private final class FetcherDouble: LocationFetching {
            weak var fetcherDelegate: (any LocationFetchingDelegate)?
            var desiredAccuracy: CLLocationAccuracy = 0
            var answer: Result<CLLocation, CLError> = .failure(CLError(.locationUnknown))

            func requestLocation() {
                switch answer {
                case .success(let location): fetcherDelegate?.fetcher(self, didUpdateLocations: [location])
                case .failure(let error): fetcherDelegate?.fetcher(self, didFailWithError: error)
                }
            }
        }

        @Test func aRetrieverBehindAProtocolWorksWithItsOwnDouble() throws {
            let double = FetcherDouble()
            let program = LocationRetriever(fetcher: double)
            var results: [Result<CLLocation, any Error>] = []
            program.retrieve { results.append($0) }
            double.answer = .success(CLLocation(latitude: 1, longitude: 2))
            program.retrieve { results.append($0) }
            #expect(double.desiredAccuracy == 100)
            #expect(results.count == 2)
            #expect(throws: CLError.self) { try results[0].get() }
            #expect(try results[1].get().coordinate.latitude == 1)
        }

        @Test func aProgramMayMakeADoubleOfTheManager() {
            let double = ManagerDouble()
            let program = LocationRetriever(fetcher: double)
            var latitude: Double?
            double.answer = CLLocation(latitude: 3, longitude: 4)
            program.retrieve { latitude = (try? $0.get())?.coordinate.latitude }
            #expect(latitude == 3)
            #expect(double.requests == 1)
            #expect(double.authorizationStatus == .restricted)
            #expect(ManagerDouble.locationServicesEnabled())
        }

        @Test func aRetrieverBehindAProtocolWorksWithTheManager() async throws {
            let fake = FakeLocationManager()
            try await make(over: fake) {
                let program = LocationRetriever()
                var latitudes: [Double?] = []
                for _ in 0..<2 { program.retrieve { latitudes.append((try? $0.get())?.coordinate.latitude) } }
                try await eventually("the receiver is wanted") { fake.isReceiverWanted }
                fake.send(latitude: 7, longitude: 0)
                try await eventually("both callers are answered") { latitudes.count == 2 }
                #expect(latitudes == [7, 7])
                #expect(!fake.isReceiverWanted)
            }
        }
    }
#endif
