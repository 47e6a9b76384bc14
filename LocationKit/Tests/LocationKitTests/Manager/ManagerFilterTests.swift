import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ManagerFilterTests {
    private let transport = ManagerTestTransport()
    private let manager: LocationManager
    private let notes = ValueRecorder<Location>()

    init() {
        manager = LocationManager(LocationConfiguration(), transport: transport)
        manager.addObserver(notes.observer())
    }

    @Test func settingsTakeEffectImmediately() {
        manager.startUpdating()
        manager.distanceFilter = 50
        manager.minimumInterval = 2
        manager.requiredAccuracy = 100
        #expect(
            transport.interest.locations?.filter == LocationFilter(distance: 50, interval: 2, requiredAccuracy: 100))
        manager.distanceFilter = nil
        #expect(transport.interest.locations?.distanceFilter == nil)
    }

    @Test func theDesiredAccuracyIsNoFilter() {
        manager.startUpdating()
        manager.desiredAccuracy = 10
        #expect(manager.desiredAccuracy == 10)
        #expect(transport.interest.locations?.filter == LocationFilter())
    }

    @Test func theActivitySelectsTheFiltersThatAreNotGiven() {
        manager.activityType = .fitness
        manager.startUpdating()
        #expect(transport.interest.locations?.filter == LocationFilter(distance: 3, interval: 1))
        manager.distanceFilter = 0
        #expect(transport.interest.locations?.filter == LocationFilter(distance: 0, interval: 1))
    }

    @Test func theDesiredAccuracyReachesTheService() {
        manager.desiredAccuracy = 10
        #expect(transport.interest.locations?.desiredAccuracy == nil, "nothing is requested yet")
        manager.startUpdating()
        #expect(transport.interest.locations?.desiredAccuracy == 10)
        manager.desiredAccuracy = 0
        #expect(transport.interest.locations?.desiredAccuracy == nil)
    }

    @Test func estimatesAreOfTheActivityAndOfEveryLocation() throws {
        manager.startUpdating()
        #expect(transport.interest.locations?.estimate == false)
        manager.estimate = true
        #expect(transport.interest.locations?.estimate == true && transport.interest.locations?.activityType == nil)
        manager.activityType = .fitness
        let request = try #require(transport.interest.locations)
        #expect(request.estimate && request.activityType == .fitness && request.distanceFilter == 3)
        // A request waits for any location, and observers go on with estimates.
        manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 0) { _ in }
        let awaited = try #require(transport.interest.locations)
        #expect(awaited.estimate && awaited.distanceFilter == 0 && awaited.minimumInterval == 0)
        manager.estimate = false
        #expect(transport.interest.locations?.estimate == false && transport.interest.locations?.activityType == nil)
    }

    @Test func updatesPauseForTheirActivity() throws {
        manager.startUpdating()
        #expect(transport.interest.locations?.pausesAutomatically == false)
        manager.pausesAutomatically = true
        #expect(
            transport.interest.locations?.activityType == nil && transport.interest.locations?.distanceFilter == nil)
        manager.activityType = .automotiveNavigation
        let request = try #require(transport.interest.locations)
        #expect(request.pausesAutomatically && request.activityType == .automotiveNavigation)
        #expect(request.distanceFilter == 0 && request.minimumInterval == 1, "no filter that the program does not have")
        try request.validate()
    }

    @Test func delayAndPurposeReachTheServiceAsItAcceptsThem() throws {
        let configuration = LocationConfiguration(purpose: String(repeating: "ä", count: 300))
        let manager = LocationManager(configuration, transport: transport)
        manager.maximumDelay = 5000
        manager.headingFilter = 5
        manager.startUpdating()
        manager.startUpdatingHeading()
        let request = try #require(transport.interest.locations)
        #expect(request.maximumDelay == 3600 && request.purpose == String(repeating: "ä", count: 128))
        let headings = try #require(transport.interest.headings)
        #expect(headings.heading && !headings.location && headings.headingFilter == 5)
        for watch in [request, headings] { try watch.validate() }
    }

    @Test(arguments: [-1, .nan, .infinity, -.infinity] as [Double])
    func aSettingThatIsNoDistanceIsNone(number: Double) {
        manager.distanceFilter = number
        manager.minimumInterval = number
        manager.requiredAccuracy = number
        manager.desiredAccuracy = number
        manager.startUpdating()
        #expect(transport.interest.locations?.filter == LocationFilter())
        #expect(manager.distanceFilter == nil)
        #expect(manager.desiredAccuracy == nil)
    }

    @Test func noLocationIsRequiredToBeExact() {
        manager.requiredAccuracy = 0
        manager.startUpdating()
        #expect(manager.requiredAccuracy == nil)
        #expect(transport.interest.locations?.filter == LocationFilter())
    }

    @Test func othersRequestsDoNotWidenTheFilter() throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        transport.deliver(.connected, try Location.at(metres: 0).event)
        manager.requestLocation(timeout: 30, desiredAccuracy: 1, maximumAge: 0) { _ in }
        #expect(transport.interest.locations?.filter == LocationFilter())
        for metres in [4.0, 8, 12, 16] { transport.deliver(try Location.at(metres: metres).event) }
        #expect(notes.values == [try .at(metres: 0), try .at(metres: 12)])
        #expect(manager.location == (try .at(metres: 12)))
        let exact = try Location.at(metres: 17, accuracy: 1)
        transport.deliver(exact.event)
        #expect(notes.values == [try .at(metres: 0), try .at(metres: 12), exact], "observers receive the answer too")
        #expect(manager.location == exact)
        #expect(transport.interest.locations?.filter == LocationFilter(distance: 10))
    }

    @Test func aLocationThatIsNotExactEnoughIsHeldBack() throws {
        manager.requiredAccuracy = 10
        manager.startUpdating()
        transport.deliver(try Location.at(accuracy: 11).event, try Location.at(accuracy: nil).event)
        #expect(notes.values.isEmpty)
        #expect(manager.location == nil)
        transport.deliver(try Location.at(accuracy: 10).event)
        #expect(notes.values.count == 1)
    }

    @Test func theFirstLocationAfterAReconnectionIsAlwaysDelivered() throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        transport.deliver(.connected, try Location.at(metres: 0).event, .disconnected(.disconnected), .connected)
        transport.deliver(try Location.at(metres: 5).event, try Location.at(metres: 11).event)
        #expect(notes.values == [try .at(metres: 0), try .at(metres: 5)])
    }

    @Test(arguments: [SourceState.lost, .searching, .unavailable])
    func theFirstLocationAfterAnAbsenceIsAlwaysDelivered(_ absence: SourceState) throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        transport.deliver(.connected, .status(.tracking), try Location.at(metres: 0).event)
        transport.deliver(.status(.with(source: absence)), .status(.tracking))
        transport.deliver(try Location.at(metres: 5).event, try Location.at(metres: 11).event)
        #expect(notes.values == [try .at(metres: 0), try .at(metres: 5)])
    }

    @Test func theFirstLocationAfterAStartIsAlwaysDelivered() throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        transport.deliver(try Location.at(metres: 0).event)
        manager.stopUpdating()
        manager.startUpdating()
        transport.deliver(try Location.at(metres: 1).event)
        #expect(notes.values.count == 2)
    }

    @Test func updatingEndsAfterANumberOfLocationsOverAnOutage() throws {
        manager.startUpdating(maximumUpdates: 2)
        transport.deliver(.location(try .at(metres: 1), dropped: 3))
        transport.deliver(.disconnected(.disconnected))
        transport.deliver(.connected)
        #expect(manager.isUpdating && manager.dropped == 3)
        transport.deliver(.location(try .at(metres: 2), dropped: 4))
        #expect(!manager.isUpdating && manager.dropped == 7)
        #expect(transport.interest.locations == nil)
        // Without a number it goes on, also where it was begun with one.
        manager.startUpdating(maximumUpdates: 1)
        manager.startUpdating()
        for second in 3...6 { transport.deliver(.location(try .at(metres: Double(second)), dropped: 0)) }
        #expect(manager.isUpdating && notes.values.count == 6)
        manager.startUpdating(maximumUpdates: 1)
        transport.deliver(.location(try .at(metres: 7), dropped: 0))
        #expect(!manager.isUpdating)
        manager.startUpdating()
        transport.deliver(.location(try .at(metres: 8), dropped: .max))
        #expect(manager.dropped == .max)
    }
}
