@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

@MainActor
struct ManagerUpdatesTests {
    @Test func locationsAreDeliveredBetweenStartAndStop() async {
        let stage = await ManagerStage()
        stage.fake.send(latitude: 1, longitude: 2)
        stage.manager.startUpdatingLocation()
        await stage.drainMainQueue()
        stage.delegate.forget()
        stage.fake.send(latitude: 3, longitude: 2)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations([3])])
        #expect(stage.manager.location?.coordinate.latitude == 3)
        stage.manager.stopUpdatingLocation()
        #expect(!stage.fake.isReceiverWanted)
        stage.fake.send(latitude: 4, longitude: 2)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations([3])])
    }

    @Test func locationsWithinOneTurnAreDeliveredInOneCallInOrder() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        for latitude in 1...4 { stage.fake.send(latitude: Double(latitude), longitude: 0) }
        #expect(stage.delegate.calls.isEmpty)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations([1, 2, 3, 4])])
    }

    @Test func aSlowProgramFindsTheNewest256() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        for number in 1...300 { stage.fake.send(latitude: Double(number) / 10, longitude: 0) }
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations((45...300).map { Double($0) / 10 })])
    }

    @Test func nothingIsDeliveredAfterStop() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        stage.fake.send(latitude: 1, longitude: 0)
        stage.manager.stopUpdatingLocation()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
    }

    @Test func nothingIsDeliveredAfterTheDelegateIsRemoved() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        stage.fake.send(latitude: 1, longitude: 0)
        stage.manager.delegate = nil
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
    }

    @Test func theDelegateIsNotRetained() async {
        let stage = await ManagerStage(hasDelegate: false)
        weak var gone: RecordingDelegate?
        do {
            let delegate = RecordingDelegate()
            gone = delegate
            stage.manager.delegate = delegate
            #expect(stage.manager.delegate === delegate)
        }
        #expect(gone == nil)
        #expect(stage.manager.delegate == nil)
    }

    @Test func aReleasedManagerDeliversAndRequestsNothing() async {
        let fake = FakeLocationManager()
        let delegate = RecordingDelegate()
        weak var gone: CLLocationManager?
        do {
            let manager = makeManager(over: fake)
            gone = manager
            manager.delegate = delegate
            manager.startUpdatingLocation()
            manager.startUpdatingHeading()
            fake.send(latitude: 1, longitude: 0)
            #expect(fake.isReceiverWanted)
        }
        #expect(gone == nil)
        #expect(!fake.isReceiverWanted)
        #expect(!fake.isCompassWanted)
        await mainQueueTurn()
        #expect(delegate.calls.isEmpty)
    }

    @Test func aDelegateMayReleaseItsManagerWhileItIsCalled() async {
        let fake = FakeLocationManager()
        let delegate = RecordingDelegate()
        var manager: CLLocationManager? = makeManager(over: fake)
        manager?.delegate = delegate
        await mainQueueTurn()
        delegate.forget()
        delegate.reaction = { _, _ in manager = nil }
        manager?.startUpdatingLocation()
        manager?.startUpdatingHeading()
        fake.send(latitude: 1, longitude: 0)
        fake.send(Heading(magnetic: 10))
        await mainQueueTurn()
        #expect(manager == nil)
        #expect(delegate.calls == [.locations([1])])
        #expect(!fake.isReceiverWanted)
    }

    @Test func accuracyNeverWithholdsAndTheDistanceFilterDoes() async {
        let stage = await ManagerStage()
        stage.manager.desiredAccuracy = kCLLocationAccuracyNearestTenMeters
        #expect(stage.manager.desiredAccuracy == 10)
        #expect(stage.fake.desiredAccuracy == 10)
        stage.manager.distanceFilter = 1000
        stage.manager.startUpdatingLocation()
        #expect(stage.fake.demand == LocationFilter(distance: 1000))
        stage.fake.send(latitude: 1, longitude: 0, horizontalAccuracy: 5000)
        stage.fake.send(latitude: 1.001, longitude: 0)
        stage.fake.send(latitude: 2, longitude: 0)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations([1, 2])])
        stage.manager.distanceFilter = kCLDistanceFilterNone
        stage.manager.desiredAccuracy = kCLLocationAccuracyBest
        #expect(stage.manager.distanceFilter == -1)
        #expect(stage.fake.demand == LocationFilter())
        #expect(stage.fake.desiredAccuracy == nil)
    }

    @Test func aChangeWithoutEffectKeepsTheState() async {
        let stage = await ManagerStage()
        stage.manager.allowsBackgroundLocationUpdates = true
        stage.manager.showsBackgroundLocationIndicator = true
        stage.manager.startUpdatingLocation()
        #expect(stage.manager.allowsBackgroundLocationUpdates)
        #expect(stage.manager.showsBackgroundLocationIndicator)
        #expect(stage.fake.demand == LocationFilter())
    }

    @Test func updatesPauseOnlyIfTheProgramSaysSo() async {
        let stage = await ManagerStage()
        #expect(!stage.manager.pausesLocationUpdatesAutomatically)
        #expect(!stage.fake.pausesAutomatically)
        stage.manager.pausesLocationUpdatesAutomatically = true
        #expect(stage.fake.pausesAutomatically)
    }

    @Test func locationsAreMeasuredOnesUnlessTheProgramSaysSo() async {
        let stage = await ManagerStage()
        #expect(!stage.manager.deliversEstimates && !stage.fake.estimate)
        stage.manager.deliversEstimates = true
        #expect(stage.fake.estimate && stage.manager.deliversEstimates)
    }

    @Test func anActivityHasNoFilters() async {
        let stage = await ManagerStage()
        stage.manager.activityType = .fitness
        stage.manager.startUpdatingLocation()
        #expect(stage.fake.activityType == .fitness)
        #expect(stage.fake.demand == LocationFilter(distance: 0, interval: 0))
        stage.manager.distanceFilter = 5
        #expect(stage.fake.demand == LocationFilter(distance: 5, interval: 0))
        stage.manager.activityType = .other
        #expect(stage.fake.demand == LocationFilter(distance: 5))
    }

    @Test func theDelegateIsToldOfPauses() async {
        let stage = await ManagerStage()
        stage.manager.pausesLocationUpdatesAutomatically = true
        stage.manager.startUpdatingLocation()
        stage.fake.send(latitude: 1, longitude: 2)
        stage.fake.becomeStationary()
        stage.fake.send(latitude: 2, longitude: 2)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations([1]), .pause], "a pause is no failure")
        stage.fake.beginMoving()
        stage.fake.send(latitude: 3, longitude: 2)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.last == .locations([3]))
        #expect(stage.delegate.calls.dropLast().last == .resume)
        stage.manager.stopUpdatingLocation()
        stage.fake.becomeStationary()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.count == 4)
    }

    @Test func updatesThatDoNotPauseGoOn() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        stage.fake.becomeStationary()
        stage.fake.send(latitude: 1, longitude: 2)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.locations([1])])
    }
}

extension Heading {
    init(magnetic degrees: Double) {
        self.init()
        magneticHeading = degrees
    }
}
