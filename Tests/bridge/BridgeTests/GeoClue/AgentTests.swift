import DBus
@_spi(Programs) import LocationModel
import NIOCore
import Testing

@testable import Bridge

/// The desktop's switch for locations, which agents of the users' sessions tell.
struct AgentTests {
    private var double = ServiceDouble()

    /// A client of a user that receives locations; returns its path.
    private mutating func runningClient(of sender: String = ":1.1", uid: UInt32 = 1000) -> String {
        let path = double.client(of: sender, uid: uid)
        double.call("Start", at: path, from: sender)
        double.tell(.authorizedAlways, to: double.service.clientCount)
        return path
    }

    @Test mutating func desktopsSwitchIsHeeded() {
        let path = runningClient()
        double.tell(1)
        double.addAgent(":1.9")
        #expect(double.askedAgents == [":1.9"] && !double.service.isIdle)
        double.tell(.level(4), by: ":1.9")
        #expect(double.watches[1]?.reducedAccuracy == true)
        #expect(double.get("Location", of: path) == .objectPath("/"), "what was precise cannot be read any more")
        double.tell(.level(0), by: ":1.9")
        #expect(double.watches.isEmpty)
        let start = double.call("Start", at: path)
        double.wait(GeoClueService.switchPatience)
        #expect(double.errors[start] == .accessDenied)
        double.forget(":1.9")
        double.call("Start", at: path)
        #expect(double.watches[1]?.reducedAccuracy == false)
    }

    /// Programs that see the switch being turned on may call before the agent tells it.
    @Test mutating func switchThatIsTurnedOnWithinHalfASecondRefusesNoStart() {
        let path = double.client()
        double.addAgent(":1.9")
        double.tell(.level(0), by: ":1.9")
        let start = double.call("Start", at: path)
        double.wait(GeoClueService.switchPatience - .milliseconds(1))
        #expect(double.errors[start] == nil && double.watches.isEmpty)
        double.tell(.level(8), by: ":1.9")
        #expect(double.watches.count == 1)
        double.tell(.authorizedAlways)
        #expect(double.replies[start] == [] && double.service.deadline == nil)
        double.tell(.level(0), by: ":1.9")
        let refused = double.call("Start", at: path)
        double.tell(.level(0), by: ":1.9")
        double.wait(GeoClueService.switchPatience - .milliseconds(1))
        #expect(double.errors[refused] == nil, "the same answer again refuses no sooner")
        double.wait(.milliseconds(1))
        #expect(double.errors[refused] == .accessDenied && double.service.deadline == nil)
    }

    @Test mutating func strictestOfAUsersAgentsCountsForThatUserAlone() {
        _ = runningClient()
        for (agent, level) in [(":1.8", 8), (":1.9", 4)] as [(String, UInt32)] {
            double.addAgent(agent)
            double.tell(.level(level), by: agent)
        }
        #expect(double.watches[1]?.reducedAccuracy == true)
        double.addAgent(":2.1", of: 1003)
        _ = runningClient(of: ":1.2")
        #expect(double.watches.count == 2, "another user's agent delays nothing")
        double.tell(.level(0), by: ":2.1")
        _ = runningClient(of: ":1.3")
        #expect(double.watches.count == 3, "and closes nothing")
        double.tell(.level(8), by: ":2.1")
        #expect(double.watches[1]?.reducedAccuracy == true, "and opens nothing")
        double.tell(.level(0), by: ":1.8")
        #expect(double.watches.isEmpty)
    }

    @Test(arguments: [.error, .undelivered] as [GeoClueAgents.Answer])
    mutating func errorKeepsTheFormerAnswer(_ error: GeoClueAgents.Answer) {
        let path = double.client()
        double.addAgent(":1.9")
        double.tell(.level(0), by: ":1.9")
        double.noteChange(of: ":1.9")
        double.wait(GeoClueAgents.pause)
        double.tell(error, by: ":1.9")
        let start = double.call("Start", at: path)
        double.wait(GeoClueService.switchPatience)
        #expect(double.errors[start] == .accessDenied && double.watches.isEmpty)
        double.noteChange(of: ":1.9")
        double.wait(GeoClueAgents.timeout)
        let late = double.call("Start", at: path)
        double.wait(GeoClueService.switchPatience)
        #expect(double.errors[late] == .accessDenied, "nor does silence open anything")
    }

    @Test mutating func errorOfANewAgentOpensNothing() {
        let path = runningClient()
        double.addAgent(":1.9")
        double.tell(.error, by: ":1.9")
        #expect(double.watches.isEmpty)
        let start = double.call("Start", at: path)
        double.wait(GeoClueService.switchPatience)
        #expect(double.errors[start] == .accessDenied)
        double.tell(.level(8), by: ":1.9")
        double.call("Start", at: path)
        #expect(double.watches.count == 1, "it counts as soon as it answers")
    }

    @Test mutating func newAgentMayTakeItsTimeAndNothingBeginsBefore() {
        _ = runningClient()
        let other = double.client(of: ":1.2")
        double.addAgent(":1.9")
        let start = double.call("Start", at: other, from: ":1.2")
        #expect(double.watches.count == 1 && double.replies[start] == nil, "what runs goes on, what is new waits")
        let available = double.askAvailable()
        #expect(double.replies[available] == [.variant(.uint32(8))], "a program need not give up")
        double.tell(.level(8), by: ":1.9")
        #expect(double.watches.count == 2)
        double.tell(.authorizedAlways, to: 2)
        #expect(double.replies[start] == [])
    }

    @Test mutating func silentNewAgentAllowsNothing() {
        _ = runningClient()
        let other = double.client(of: ":1.2")
        double.addAgent(":1.9")
        let start = double.call("Start", at: other, from: ":1.2")
        double.wait(GeoClueAgents.timeout)
        #expect(double.watches.isEmpty && double.errors[start] == .accessDenied)
        #expect(double.service.agents.deadline == nil)
        double.noteChange(of: ":1.9")
        double.wait(.minutes(5))
        #expect(double.askedAgents == [":1.9"], "a call that is owed counts at the bus: there is no second")
        double.tell(.level(8), by: ":1.9")
        #expect(double.askedAgents == [":1.9", ":1.9"], "it has changed since")
        let again = double.call("Start", at: other, from: ":1.2")
        double.tell(.authorizedAlways, to: 2)
        #expect(double.replies[again] == [])
    }

    @Test mutating func waitingStartsEndWithStopAndWithTheirProgram() {
        let path = double.client()
        double.addAgent(":1.9")
        let first = double.call("Start", at: path)
        double.call("Stop", at: path)
        #expect(double.errors[first] == .accessDenied)
        double.call("Start", at: path)
        double.forget(":1.1")
        double.tell(.level(8), by: ":1.9")
        #expect(double.watches.isEmpty)
    }

    @Test mutating func silentAgentsOfOneUserDoNotKeepAnothersFromBeingAsked() {
        let path = runningClient()
        double.addAgent(":1.9")
        double.tell(.level(8), by: ":1.9")
        double.wait(GeoClueAgents.pause)
        var refused = 0
        for number in 0..<140 {
            let call = double.addAgent(":2.\(number)", of: 1003)
            if double.errors[call] == .limitsExceeded { refused += 1 }
        }
        #expect(refused == 140 - GeoClueAgents.perUser && double.service.agents.owed == GeoClueAgents.perUser)
        double.noteChange(of: ":1.9")
        #expect(double.askedAgents.last == ":1.9")
        double.tell(.level(0), by: ":1.9")
        #expect(double.watches.isEmpty)
        let start = double.call("Start", at: path)
        double.wait(GeoClueService.switchPatience)
        #expect(double.errors[start] == .accessDenied)
    }

    @Test mutating func answersOwedToTheBusAreLimited() {
        var users: UInt32 = 0
        for user in 0..<UInt32(60) {
            for agent in 0..<GeoClueAgents.perUser { double.addAgent(":\(user).\(agent)", of: 2000 + user) }
            users += 1
        }
        #expect(double.service.agents.owed == GeoClueAgents.questions && GeoClueAgents.questions < 128)
        let asked = double.askedAgents.count
        // Whoever leaves frees the bus of its call, and the next is asked.
        double.forget(":0.0")
        #expect(double.askedAgents.count == asked + 1 && double.service.agents.owed == GeoClueAgents.questions)
        double.wait(GeoClueAgents.timeout)
        #expect(double.service.agents.limit(of: 2059) == AccuracyLevel.none, "who cannot be asked opens nothing")
        #expect(double.service.agents.deadline == nil, "nothing is to be done before something is answered")
    }

    @Test mutating func agentThatChangesWithoutRestIsAskedFiveTimesASecond() {
        double.addAgent(":1.9")
        for _ in 0..<1000 {
            double.tell(.level(8), by: ":1.9")
            double.noteChange(of: ":1.9")
            double.wait(.milliseconds(1))
        }
        #expect((5...6).contains(double.askedAgents.count), "\(double.askedAgents.count)")
    }

    @Test mutating func questionThatTheBusDidNotDeliverIsAskedAgain() {
        double.addAgent(":1.9")
        double.tell(.undelivered, by: ":1.9")
        #expect(double.service.agents.deadline == double.now + GeoClueAgents.retry)
        double.wait(GeoClueAgents.retry)
        #expect(double.askedAgents.count == 2)
        double.tell(.level(4), by: ":1.9")
        #expect(double.service.agents.limit(of: 1000) == 4)
    }

    @Test mutating func agentThatComesAgainKeepsItsAnswer() {
        double.addAgent(":1.9")
        double.tell(.level(0), by: ":1.9")
        double.addAgent(":1.9")
        double.wait(.seconds(60))
        #expect(double.service.agents.limit(of: 1000) == AccuracyLevel.none)
        #expect(double.askedAgents.count == 2)
    }
}
