#if canImport(OpenCombine)
    @_spi(Programs) import LocationKit
    @_spi(Programs) import LocationKitCombine
    @_spi(Programs) import LocationKitTesting
    @_spi(Programs) import LocationModel
    import OpenCombine
    import Testing

    @Suite struct CombinePublisherTests {
        let fake = FakeLocationManager()

        private func latitudes(_ recipient: CombineRecipient<Location>) -> [Double] {
            recipient.values.map(\.coordinate.latitude)
        }

        @Test func theReceiverRunsAsLongAsThereIsASubscription() {
            let recipient = CombineRecipient<Location>()
            fake.locationPublisher.subscribe(recipient)
            #expect(!fake.isReceiverWanted)
            recipient.request(.max(1))
            #expect(fake.isReceiverWanted)
            fake.send(latitude: 1, longitude: 0)
            #expect(fake.isReceiverWanted, "who wants none just now still subscribes")
            recipient.cancel()
            #expect(!fake.isReceiverWanted)
            #expect(latitudes(recipient) == [1])
        }

        @Test func subscribingStartsAndCancellingAffectsNoOtherSubscriber() {
            fake.startUpdating()
            let recipient = CombineRecipient<Location>()
            fake.locationPublisher.subscribe(recipient)
            recipient.request(.unlimited)
            recipient.cancel()
            #expect(fake.isUpdating)
            #expect(fake.isReceiverWanted)
        }

        @Test func removingAnObserverEndsNoSubscription() {
            let recipient = CombineRecipient<Location>()
            fake.locationPublisher.subscribe(recipient)
            recipient.request(.unlimited)
            let observer = Observer<Location> { _ in }
            fake.addObserver(observer)
            fake.startUpdating()
            fake.removeObserver(observer)
            #expect(!fake.isUpdating)
            fake.send(latitude: 1, longitude: 0)
            #expect(latitudes(recipient) == [1])
            recipient.cancel()
        }

        @Test func theCurrentLocationComesFirst() {
            let (early, late) = (CombineRecipient<Location?>(), CombineRecipient<Location?>())
            let publisher = fake.currentLocationPublisher
            publisher.subscribe(early)
            early.request(.unlimited)
            #expect(early.values == [nil])
            #expect(fake.isReceiverWanted)
            fake.send(latitude: 1, longitude: 0)
            publisher.subscribe(late)
            late.request(.unlimited)
            #expect(late.values.map { $0?.coordinate.latitude } == [1])
            fake.advance(by: 1)
            fake.send(latitude: 2, longitude: 0)
            #expect(early.values.map { $0?.coordinate.latitude } == [nil, 1, 2])
            #expect(late.values.map { $0?.coordinate.latitude } == [1, 2])
            early.cancel()
            late.cancel()
            #expect(!fake.isReceiverWanted)
        }

        @Test func theSubstituteForMergeMerges() {
            let recipient = CombineRecipient<Double>()
            let other = PassthroughSubject<Double, Never>()
            let latitudes = fake.locationPublisher.map(\.coordinate.latitude).eraseToAnyPublisher()
            [latitudes, other.eraseToAnyPublisher()].publisher.flatMap { $0 }.subscribe(recipient)
            recipient.request(.unlimited)
            fake.send(latitude: 1, longitude: 0)
            other.send(7)
            fake.advance(by: 1)
            fake.send(latitude: 2, longitude: 0)
            #expect(recipient.values == [1, 7, 2])
            recipient.cancel()
        }

        @Test func theNewestLocationWaits() {
            let recipient = CombineRecipient<Location>()
            fake.locationPublisher.subscribe(recipient)
            recipient.request(.max(1))
            for latitude in 1...4 {
                fake.advance(by: 1)
                fake.send(latitude: Double(latitude), longitude: 0)
            }
            recipient.request(.max(1))
            #expect(latitudes(recipient) == [1, 4])
            recipient.cancel()
        }

        @Test func anErrorIsAValueAndEndsNothing() {
            let locations = CombineRecipient<Location>()
            let errors = CombineRecipient<LocationError>()
            let connections = CombineRecipient<ConnectionState>()
            fake.locationPublisher.subscribe(locations)
            fake.errorPublisher.subscribe(errors)
            fake.connectionPublisher.subscribe(connections)
            connections.request(.unlimited)
            errors.request(.unlimited)
            locations.request(.unlimited)
            fake.send(latitude: 1, longitude: 0)
            fake.disconnect(.disconnected)
            #expect(errors.values == [.disconnected])
            #expect(connections.values.last == .disconnected(.disconnected))
            fake.reconnect()
            #expect(connections.values.last == .connected)
            fake.advance(by: 1)
            fake.send(latitude: 2, longitude: 0)
            #expect(latitudes(locations) == [1, 2])
            #expect(!locations.hasEnded && !errors.hasEnded && !connections.hasEnded)
            for cancel in [locations.cancel, errors.cancel, connections.cancel] { cancel() }
        }

        @Test func theCurrentAuthorizationComesFirst() {
            let fake = FakeLocationManager(authorization: .notDetermined)
            let recipient = CombineRecipient<AuthorizationStatus>()
            fake.authorizationPublisher.subscribe(recipient)
            recipient.request(.unlimited)
            #expect(recipient.values == [.notDetermined])
            #expect(!fake.isReceiverWanted)
            fake.authorizationStatus = .authorizedWhenInUse
            fake.authorizationStatus = .authorizedWhenInUse
            fake.authorizationStatus = .denied
            #expect(recipient.values == [.notDetermined, .authorizedWhenInUse, .denied])
            recipient.cancel()
        }

        @Test func headingsAreRequestedAndDelivered() {
            let recipient = CombineRecipient<Heading>()
            fake.headingPublisher.subscribe(recipient)
            recipient.request(.unlimited)
            #expect(fake.isCompassWanted)
            var heading = Heading()
            heading.trueHeading = 90
            fake.send(heading)
            recipient.cancel()
            #expect(!fake.isCompassWanted)
            #expect(recipient.values == [heading])
        }

        @Test func aPipelineMakesText() {
            var lines: [String] = []
            let sink = fake.locationPublisher
                .map { "\($0.coordinate.latitude) \($0.coordinate.longitude)" }
                .removeDuplicates()
                .sink { lines.append($0) }
            for (latitude, longitude) in [(1.5, 2.5), (1.5, 2.5), (1.5, 3.5)] {
                fake.advance(by: 1)
                fake.send(latitude: latitude, longitude: longitude)
            }
            sink.cancel()
            fake.send(latitude: 9, longitude: 9)
            #expect(lines == ["1.5 2.5", "1.5 3.5"])
        }

        @Test func aSubscriptionKeepsItsManager() {
            weak var manager: FakeLocationManager?
            var values: [Double] = []
            do {
                let fake = FakeLocationManager()
                manager = fake
                let sink = fake.locationPublisher.sink { values.append($0.coordinate.latitude) }
                withExtendedLifetime(sink) { _ = fake.send(latitude: 1, longitude: 0) }
            }
            #expect(values == [1])
            #expect(manager == nil, "and lets it go with its end")
        }
    }
#endif
