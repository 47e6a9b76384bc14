import DBus
@_spi(Programs) import LocationInterface
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

    /// The dialog of an agent and the person's decision have the time of one `Start` together.
    @Test mutating func agentAndPersonShareOneWait() {
        (double.isFollowed, double.appAnswer) = (true, nil)
        double.addAgent(":1.9")
        double.tell(.level(8), by: ":1.9")
        let path = double.client()
        let call = double.call("Start", at: path)
        double.wait(.seconds(12))
        double.tell(.allowed(8), ofAppBy: ":1.9")
        double.tell(.notDetermined)
        double.wait(.seconds(7))
        #expect(double.replies[call] == nil)
        double.wait(.seconds(1))
        #expect(double.replies[call] == [])
    }

    /// The person is told of each program that waits, and each waits for the person.
    @Test mutating func secondProgramAsksForItselfWhileARequestIsPending() {
        double.isFollowed = true
        _ = start()
        let path = double.client(of: ":1.2")
        double.set("DesktopId", .string("org.example.photos"), of: path, from: ":1.2")
        let call = double.call("Start", at: path, from: ":1.2")
        double.tell(.notDetermined, isPending: true, to: 2)
        #expect(double.requested.map(\.label) == ["GeoClue: org.example.map", "GeoClue: org.example.photos"])
        #expect(double.replies[call] == nil && double.errors[call] == nil)
        double.tell(.denied, to: 2)
        #expect(double.errors[call] == .accessDenied)
    }

    @Test mutating func partOfTheDesktopRequestsNothingAndIsStarted() {
        double.isFollowed = true
        let path = double.client()
        double.set("DesktopId", .string("gnome-color-panel"), of: path)
        let call = double.call("Start", at: path)
        double.tell(.notDetermined)
        #expect(double.replies[call] == [] && double.requested.isEmpty)
        double.tell(.authorizedWhenInUse)
        double.tell(1)
        #expect(double.get("Location", of: path) != .objectPath("/"), "it gets what the person's programs may have")
    }

    @Test(arguments: [AuthorizationStatus.authorizedWhenInUse, .denied])
    mutating func runningProgramRequestsAgainAfterAReset(decision: AuthorizationStatus) {
        _ = start()
        double.tell(decision)
        double.tell(.notDetermined)
        #expect(double.requested.count == 2)
        double.tell(.notDetermined, isPending: true)
        #expect(double.requested.count == 2, "once after each decision")
    }

    /// As after `locctl reset-authorization` while the question is put off.
    @Test mutating func waitingProgramRequestsAgainAfterItsRequestIsReset() {
        _ = start()
        for count in 2...3 {
            double.tell(.notDetermined, isPending: true)
            #expect(double.requested.count == count - 1)
            double.tell(.notDetermined)
            #expect(double.requested.count == count)
            double.tell(.notDetermined)
            #expect(double.requested.count == count, "once for each reset")
        }
    }

    @Test mutating func lateAnswerOfTheDaemonIsNotTheNextStarts() {
        (double.isFollowed, double.appAnswer) = (nil, nil)
        _ = start()
        let old = double.followedQuestions[0]
        let path = "/org/freedesktop/GeoClue2/Client/1"
        double.call("Stop", at: path)
        double.addAgent(":1.9")
        double.tell(.level(8), by: ":1.9")
        let again = double.call("Start", at: path)
        double.perform(double.service.applyFollowed(false, to: old.client, start: old.start))
        #expect(double.replies[again] == nil)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        double.perform(double.service.applyFollowed(false, to: old.client, start: old.start))
        #expect(double.replies[again] == nil && double.watches.count == 1)
        double.tell(.authorizedAlways)
        #expect(double.replies[again] == [])
    }
}
