@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import OpenCoreLocation
import Testing

@MainActor
struct ManagerErrorTests {
    @Test func denialIsReportedOncePerStart() async {
        let stage = await ManagerStage(authorization: .denied)
        stage.manager.startUpdatingLocation()
        stage.manager.startUpdatingLocation()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.failure(.denied)])
        stage.manager.stopUpdatingLocation()
        stage.manager.startUpdatingLocation()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.failure(.denied), .failure(.denied)])
    }

    @Test func beforeTheDecisionNothingIsDelivered() async {
        let stage = await ManagerStage(authorization: .notDetermined)
        stage.manager.startUpdatingLocation()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
        stage.fake.authorizationStatus = .authorizedAlways
        stage.fake.send(latitude: 1, longitude: 0)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(.authorizedAlways), .locations([1])])
    }

    @Test func revocationIsDeliveredAsFailureAndStatus() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        stage.fake.authorizationStatus = .denied
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.authorization(.denied), .failure(.denied)])
    }

    @Test func aServiceThatIsOffIsADenial() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        stage.fake.disableService()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.failure(.denied)])
        #expect(stage.delegate.messages.first?.contains("locctl start") == true)
    }

    /// Programs give up after three errors in a row, which are to mean that an outage lasts.
    @Test(arguments: [true, false])
    func anOutageThatLastsIsReportedEveryTenSeconds(isOfTheReceiver: Bool) async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        if isOfTheReceiver {
            stage.fake.becomeUnavailable(reason: "the cable is out")
        } else {
            stage.fake.disconnect(.daemonNotRunning(path: "/nowhere", reason: "none"))
        }
        await stage.drainMainQueue()
        let failure: CLError.Code = isOfTheReceiver ? .locationUnknown : .network
        #expect(stage.delegate.calls == [.failure(failure)])
        stage.fake.advance(by: 9.9)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.count == 1)
        for count in 2...3 {
            stage.fake.advance(by: 10)
            await stage.drainMainQueue()
            #expect(stage.delegate.calls == Array(repeating: .failure(failure), count: count))
        }
        stage.manager.stopUpdatingLocation()
        stage.fake.advance(by: 100)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.count == 3)
    }

    @Test func aDenialIsNotReportedAgainWhileItLasts() async {
        let stage = await ManagerStage(authorization: .denied)
        stage.manager.startUpdatingLocation()
        stage.fake.advance(by: 100)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.failure(.denied)])
    }

    @Test func anAbsentServiceIsReportedOnceAndUpdatingGoesOn() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        for _ in 0..<3 {
            stage.fake.disconnect(.daemonNotRunning(path: "/nowhere", reason: "none"))
            await stage.drainMainQueue()
        }
        #expect(stage.delegate.calls == [.failure(.network)])
        stage.fake.reconnect()
        stage.fake.send(latitude: 1, longitude: 0)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.failure(.network), .locations([1])])
        stage.fake.disconnect(.daemonNotRunning(path: "/nowhere", reason: "none"))
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.last == .failure(.network))
    }

    @Test func aReceiverThatCannotBeReachedIsUnknown() async {
        let stage = await ManagerStage()
        stage.manager.startUpdatingLocation()
        stage.fake.becomeUnavailable(reason: "the cable is out")
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.failure(.locationUnknown)])
        #expect(stage.delegate.messages.first?.contains("the cable is out") == true)
    }

    @Test func withoutRequestsNoFailureIsReported() async {
        let stage = await ManagerStage()
        stage.fake.disconnect()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.isEmpty)
    }
}
