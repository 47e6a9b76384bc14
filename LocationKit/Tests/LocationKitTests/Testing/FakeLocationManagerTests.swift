import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The fake delivers each step of its script before the step returns.
struct FakeLocationManagerTests {
    private let fake = FakeLocationManager()
    private let received = ValueRecorder<Location>()
    private let errors = ValueRecorder<LocationError>()

    init() {
        fake.addObserver(received.observer())
        fake.addObserver(errors.observer())
    }

    @Test func demandIsTheFilterOfTheProgram() {
        #expect(!fake.isReceiverWanted && fake.demand == nil && !fake.isCompassWanted)
        fake.distanceFilter = 25
        fake.requiredAccuracy = 100
        fake.startUpdating()
        #expect(fake.isReceiverWanted)
        #expect(fake.demand == LocationFilter(distance: 25, requiredAccuracy: 100))
        fake.startUpdatingHeading()
        #expect(fake.isCompassWanted)
        fake.stopUpdating()
        fake.stopUpdatingHeading()
        #expect(!fake.isReceiverWanted && !fake.isCompassWanted)
    }

    @Test func locationIsDeliveredBeforeTheScriptGoesOn() {
        fake.startUpdating()
        let sent = fake.send(latitude: 48.8584, longitude: 2.2945, altitude: 35, speed: 0, course: 359)
        #expect(received.values == [sent].compactMap { $0 } && received.values.count == 1)
        #expect(sent?.source.isSimulated == true && sent?.mode == .threeDimensional)
        #expect(sent?.monotonicTime == fake.now && sent?.sequence == 1)
        #expect(fake.location == sent && fake.manager.location == sent)
    }

    @Test func noSuchPlaceIsNotSent() {
        fake.startUpdating()
        for (latitude, longitude) in [(90.1, 0), (0, -181), (.nan, 0), (0, .infinity)] {
            #expect(fake.send(latitude: latitude, longitude: longitude) == nil)
        }
        #expect(received.values.isEmpty)
    }

    @Test func onlyNewerLocationsAreDelivered() throws {
        fake.startUpdating()
        var location = try #require(fake.send(latitude: 1, longitude: 2))
        fake.send(location)
        location.sequence = 7
        fake.send(location)
        fake.send(latitude: 2, longitude: 2)
        location.sequence = 6
        fake.send(location)
        #expect(received.values.map(\.sequence) == [1, 7, 8])
    }

    @Test func freshLocationIsDeliveredToANewClient() {
        fake.send(latitude: 1, longitude: 2)
        #expect(received.values.isEmpty)
        fake.startUpdating()
        #expect(received.latitudes == [1])
        fake.stopUpdating()
        fake.send(latitude: 2, longitude: 2)
        fake.advance(by: 3)
        fake.startUpdating()
        #expect(received.latitudes == [1], "an old location is delivered as present")
    }

    @Test func locationsSentByAHandlerAreDeliveredAfterIt() {
        let order = ValueRecorder<Double>()
        let fake = fake
        fake.addObserver(
            Observer<Location> { location in
                let latitude = location.coordinate.latitude
                if latitude < 3 { fake.send(latitude: latitude + 1, longitude: 2) }
                order.append(latitude)
            })
        fake.startUpdating()
        fake.send(latitude: 1, longitude: 2)
        #expect(order.values == [1, 2, 3] && received.latitudes == [1, 2, 3])
    }

    @Test func headingsNeedFullAccuracy() {
        let headings = ValueRecorder<Heading>()
        fake.addObserver(headings.observer())
        var heading = Heading()
        heading.trueHeading = 90
        fake.send(heading)
        fake.startUpdatingHeading()
        #expect(headings.values.isEmpty)
        fake.send(heading)
        fake.accuracyAuthorization = .reduced
        fake.send(heading)
        #expect(headings.values == [heading] && fake.heading == heading)
        #expect(fake.accuracyAuthorization == .reduced)
    }

    @Test func errorsComeOneByOne() {
        fake.startUpdating()
        let reason = "the cable was cut"
        fake.fail(.unavailable(reason: reason, best: nil))
        #expect(errors.values == [.unavailable(reason: reason, best: nil)])
        fake.send(latitude: 1, longitude: 2)
        fake.fail(.disabled)
        fake.send(latitude: 2, longitude: 2)
        fake.enableService()
        fake.fail(.unauthorized(.restricted, reason: "the policy says so"))
        fake.authorizationStatus = .authorizedAlways
        fake.fail(.tooManyClients(limit: 5))
        fake.reconnect()
        #expect(
            errors.values.dropFirst() == [
                .disabled, .unauthorized(.restricted, reason: "the policy says so"), .tooManyClients(limit: 5),
            ])
        #expect(received.latitudes == [1])
        fake.send(latitude: 3, longitude: 2)
        #expect(received.latitudes == [1, 3])
    }

    @Test func updatingStopsAtTheErrorLimit() {
        let fake = FakeLocationManager(configuration: LocationConfiguration(errorLimit: 3))
        fake.startUpdating()
        fake.disconnect()
        fake.disconnect()
        fake.advance(by: 19.9)
        #expect(fake.isUpdating)
        fake.advance(by: 0.1)
        #expect(!fake.isUpdating && !fake.isReceiverWanted)
    }

    @Test func fakeIsReleasedWhileItUpdates() {
        weak var released: FakeLocationManager?
        weak var manager: LocationManager?
        do {
            let fake = FakeLocationManager()
            fake.addObserver(received.observer())
            fake.startUpdating()
            (released, manager) = (fake, fake.manager)
            #expect(released != nil)
        }
        #expect(released == nil && manager == nil)
    }
}
