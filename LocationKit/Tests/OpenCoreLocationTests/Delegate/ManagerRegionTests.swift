@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

/// The delegate's calls for regions.
@MainActor
@Suite struct ManagerRegionTests {
    private typealias Call = RecordingDelegate.Call

    private static func home(_ identifier: String = "home") -> CLCircularRegion {
        CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 52, longitude: 13), radius: 100, identifier: identifier)
    }

    /// The region as the service persists it.
    private static func persisted(_ identifier: String = "home") throws -> Region {
        let center = try #require(Coordinate(latitude: 52, longitude: 13))
        return try Region(identifier: identifier, shape: .circle(RegionCircle(center: center, radius: 100)))
    }

    /// The delegate's calls after the position has been at these latitudes, one after the other.
    private func calls(_ stage: ManagerStage, at latitudes: Double...) async -> [Call] {
        for latitude in latitudes { stage.monitors.send(latitude: latitude) }
        await stage.drainMainQueue()
        defer { stage.delegate.forget() }
        return stage.delegate.calls
    }

    @Test func entriesAndExitsAreDelivered() async {
        let stage = await ManagerStage()
        stage.manager.startMonitoring(for: Self.home())
        #expect(await calls(stage) == [.begun("home")])
        #expect(await calls(stage, at: 53).isEmpty, "where it begins is no crossing")
        #expect(await calls(stage, at: 52) == [.entered("home"), .state("home", .inside)])
        #expect(await calls(stage, at: 52, 53, 53) == [.left("home"), .state("home", .outside)])
        #expect(stage.manager.monitoredRegions == [Self.home()])
        stage.manager.stopMonitoring(for: Self.home("home"))
        #expect(await calls(stage, at: 52).isEmpty)
        #expect(stage.manager.monitoredRegions.isEmpty)
    }

    @Test func onlyTheRegionsNotificationsAreDelivered() async {
        let stage = await ManagerStage()
        let (entry, exit) = (Self.home("in"), Self.home("out"))
        entry.notifyOnExit = false
        exit.notifyOnEntry = false
        for region in [entry, exit] { stage.manager.startMonitoring(for: region) }
        _ = await calls(stage, at: 53)
        let received = await calls(stage, at: 52, 53)
        #expect(received.contains(.entered("in")) && received.contains(.left("out")))
        #expect(!received.contains(.left("in")) && !received.contains(.entered("out")))
        let regions = stage.manager.monitoredRegions
        #expect(regions.map(\.identifier).sorted() == ["in", "out"])
        #expect(regions.first { $0.identifier == "in" }?.notifyOnExit == false)
        let again = Self.home("in")
        stage.manager.startMonitoring(for: again)
        #expect(stage.manager.monitoredRegions.count == 2)
        #expect(stage.manager.monitoredRegions.first { $0.identifier == "in" }?.notifyOnExit == true)
    }

    @Test(arguments: ["home [entry]", "[both]", "home [both]", "a"])
    func everyNameComesBackAsItWas(_ name: String) async {
        let stage = await ManagerStage()
        stage.manager.startMonitoring(for: Self.home(name))
        let region = stage.manager.monitoredRegions.first
        #expect(region?.identifier == name)
        #expect(region?.notifyOnEntry == true && region?.notifyOnExit == true)
        stage.manager.stopMonitoring(for: Self.home(name))
        #expect(stage.manager.monitoredRegions.isEmpty)
    }

    @Test func aStateIsDeliveredWhenItIsDecided() async {
        let stage = await ManagerStage()
        stage.manager.requestState(for: Self.home("nowhere"))
        #expect(await calls(stage) == [.state("nowhere", .unknown)])
        stage.manager.startMonitoring(for: Self.home())
        _ = await calls(stage)
        stage.manager.requestState(for: Self.home())
        #expect(await calls(stage).isEmpty)
        #expect(await calls(stage, at: 52) == [.state("home", .inside)])
        stage.manager.requestState(for: Self.home())
        #expect(await calls(stage) == [.state("home", .inside)])
    }

    @Test func aStopEndsTheRequestForAState() async {
        let stage = await ManagerStage()
        stage.manager.startMonitoring(for: Self.home())
        stage.manager.requestState(for: Self.home())
        stage.manager.stopMonitoring(for: Self.home())
        stage.manager.startMonitoring(for: Self.home())
        _ = await calls(stage)
        #expect(await calls(stage, at: 52).isEmpty)
    }

    @Test func regionsOfAnEarlierRunAreLoaded() async throws {
        let stage = await ManagerStage(persisted: [try Self.persisted("home [exit]"), try Self.persisted("work")])
        #expect(stage.manager.monitoredRegions.map(\.identifier).sorted() == ["home", "work"])
        _ = await calls(stage, at: 52)
        #expect(
            await calls(stage, at: 53) == [
                .left("home"), .state("home", .outside), .left("work"), .state("work", .outside),
            ])
        stage.manager.stopMonitoring(for: Self.home())
        #expect(stage.manager.monitoredRegions.map(\.identifier) == ["work"])
    }

    @Test func everyManagerReceivesEventsOfTheProgramsRegions() async {
        let stage = await ManagerStage()
        let other = RecordingDelegate()
        let second = LocationBackend.$current.withValue(stage.backend) { CLLocationManager() }
        second.delegate = other
        stage.manager.startMonitoring(for: Self.home())
        #expect(second.monitoredRegions == [Self.home()])
        stage.monitors.send(latitude: 53)
        stage.monitors.send(latitude: 52)
        await stage.drainMainQueue()
        #expect(other.calls.contains(.entered("home")))
        #expect(!other.calls.contains(.begun("home")), "it did not ask")
    }

    @Test func denialIsReportedAndEnds() async {
        let stage = await ManagerStage(authorization: .denied)
        stage.manager.startMonitoring(for: Self.home())
        #expect(await calls(stage) == [.region("home", .regionMonitoringDenied)])
        stage.monitors.all[0].authorizationStatus = .authorizedAlways
        #expect(await calls(stage) == [.begun("home")])
        _ = await calls(stage, at: 53)
        #expect(await calls(stage, at: 52).first == .entered("home"))
    }

    @Test func anUndecidedLoopWaits() async {
        let stage = await ManagerStage(authorization: .notDetermined)
        stage.manager.startMonitoring(for: Self.home())
        #expect(await calls(stage).isEmpty)
        stage.monitors.all[0].authorizationStatus = .authorizedAlways
        #expect(await calls(stage) == [.begun("home")])
    }

    @Test func aServiceThatIsAwayDelaysAndASecondRunRefuses() async {
        let stage = await ManagerStage()
        let service = stage.monitors.all[0]
        service.disconnect(.daemonNotRunning(path: "/nowhere", reason: "the test ended it"))
        stage.manager.startMonitoring(for: Self.home())
        service.disconnect(.disconnected)
        #expect(await calls(stage) == [.region("home", .regionMonitoringSetupDelayed)])
        service.disconnect(.monitorInUse(name: "test"))
        #expect(await calls(stage) == [.region("home", .regionMonitoringFailure)])
        service.reconnect()
        #expect(await calls(stage) == [.begun("home")])
    }

    @Test func whatCannotBeMonitoredIsAFailure() async {
        let stage = await ManagerStage()
        let nowhere = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 5, identifier: "nowhere")
        let endless = CLCircularRegion(
            center: CLLocationCoordinate2D(), radius: stage.manager.maximumRegionMonitoringDistance * 2,
            identifier: "endless")
        for region in [nowhere, endless, Self.home("")] { stage.manager.startMonitoring(for: region) }
        #expect(
            await calls(stage) == ["nowhere", "endless", ""].map { .region($0, .regionMonitoringFailure) })
        #expect(stage.manager.monitoredRegions.isEmpty)
        #expect(CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
        #expect(!CLLocationManager.isMonitoringAvailable(for: CLRegion.self))
    }

    @Test func afterStoppingWithinACallNothingIsDelivered() async {
        let stage = await ManagerStage()
        stage.manager.startMonitoring(for: Self.home())
        _ = await calls(stage, at: 53)
        stage.delegate.reaction = { manager, call in
            if call == .entered("home") { manager.stopMonitoring(for: Self.home()) }
        }
        #expect(await calls(stage, at: 52, 53) == [.entered("home")])
        stage.delegate.reaction = nil
    }
}
