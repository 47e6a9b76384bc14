import DBus
@_spi(Programs) import LocationModel
import NIOCore
import Testing

@testable import Bridge

/// `Start` waits for the person at the screen, who is being asked, as long as programs wait for `Start`.
struct DecisionWaitTests {
    private var double = ServiceDouble()

    private mutating func start() -> Int {
        let path = double.client()
        let call = double.call("Start", at: path)
        double.tell(.notDetermined)
        return call
    }

    @Test mutating func withoutAPersonTheProgramIsStartedAtOnce() {
        let call = start()
        #expect(double.replies[call] == [] && double.service.deadline == nil)
        #expect(double.requested.count == 1)
    }

    @Test(arguments: [true, false])
    mutating func answerIsTheDecision(isAllowed: Bool) {
        double.isFollowed = true
        let call = start()
        #expect(double.replies[call] == nil && double.errors[call] == nil)
        double.tell(isAllowed ? .authorizedWhenInUse : .denied)
        #expect((double.replies[call] == []) == isAllowed)
        #expect((double.errors[call] == .accessDenied) == !isAllowed)
        #expect(double.service.deadline == nil)
    }

    @Test mutating func whoTakesLongerFindsItStarted() {
        double.isFollowed = true
        let call = start()
        double.wait(.seconds(19))
        #expect(double.replies[call] == nil)
        double.wait(.seconds(1))
        #expect(double.replies[call] == [] && double.service.deadline == nil)
        double.tell(.authorizedAlways)
        #expect(double.get("Active", of: "/org/freedesktop/GeoClue2/Client/1") == .boolean(true))
    }

    /// A daemon that says nothing is not waited for longer either.
    @Test mutating func silentDaemonHoldsNothingUp() {
        double.isFollowed = nil
        let call = start()
        double.wait(.seconds(20))
        #expect(double.replies[call] == [])
    }

    @Test mutating func stopAndOutageEndTheWait() {
        double.isFollowed = true
        let call = start()
        double.call("Stop", at: "/org/freedesktop/GeoClue2/Client/1")
        #expect(double.errors[call] == .accessDenied && double.service.deadline == nil)
        let again = double.call("Start", at: "/org/freedesktop/GeoClue2/Client/1")
        double.tell(.notDetermined)
        #expect(double.replies[again] == nil)
        double.perform(double.service.applyOutage(to: 1))
        #expect(double.replies[again] == [])
    }
}
