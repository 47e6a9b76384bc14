@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

@MainActor
struct ManagerHeadingTests {
    private func received(_ headings: [Double], _ prepare: (CLLocationManager) -> Void = { _ in }) async -> [Double] {
        let stage = await ManagerStage()
        prepare(stage.manager)
        stage.manager.startUpdatingHeading()
        for heading in headings {
            stage.fake.send(Heading(magnetic: heading))
            await stage.drainMainQueue()
        }
        return stage.delegate.calls.map { if case .heading(let degrees) = $0 { degrees } else { .nan } }
    }

    @Test func oneDegreeIsTheUsualFilter() async {
        #expect(await received([10, 10.5, 10.9, 11, 11.5, 9.9]) == [10, 11, 9.9])
    }

    @Test func theFilterTurnsAroundNorth() async {
        #expect(await received([358, 2, 3, 359, 350]) { $0.headingFilter = 5 } == [358, 3, 350])
    }

    @Test func withoutAFilterEveryHeadingIsDelivered() async {
        #expect(await received([10, 10, 10.1]) { $0.headingFilter = kCLHeadingFilterNone } == [10, 10, 10.1])
    }

    @Test func aFilterThatIsNotANumberHoldsNothingBack() async {
        #expect(await received([10, 10.1]) { $0.headingFilter = .nan } == [10, 10.1])
    }

    @Test func startingAgainDeliversTheFirstHeading() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingHeading()
        stage.fake.send(Heading(magnetic: 10))
        await stage.drainMainQueue()
        stage.manager.stopUpdatingHeading()
        #expect(!stage.fake.isCompassWanted)
        stage.manager.startUpdatingHeading()
        stage.fake.send(Heading(magnetic: 10))
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.heading(10), .heading(10)])
    }

    @Test(arguments: [
        (CLDeviceOrientation.portrait, 300.0), (.landscapeLeft, 30), (.portraitUpsideDown, 120), (.landscapeRight, 210),
        (.faceUp, 300), (.unknown, 300),
    ])
    func orientationTurnsTheHeading(orientation: CLDeviceOrientation, expected: Double) async throws {
        let stage = await ManagerStage()
        stage.manager.headingOrientation = orientation
        stage.manager.startUpdatingHeading()
        stage.fake.send(Heading(magnetic: 300))
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.heading(expected)])
        #expect(stage.manager.heading?.magneticHeading == expected)
    }

    @Test func aHeadingWithoutDirectionIsNotDelivered() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingHeading()
        stage.fake.send(Heading())
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
    }
}
