import DBus
import Foundation
@_spi(Programs) import LocationModel
import NIOCore
import Testing

@testable import Bridge

/// What agents of the users' sessions say about single programs.
struct AppQuestionTests {
    private var double = ServiceDouble()

    init() { double.appAnswer = nil }

    /// Starts a new client of a program; returns the number of the call.
    private mutating func start(of sender: String = ":1.1", level: UInt32 = 8) -> Int {
        let path = double.client(of: sender, level: level)
        return double.call("Start", at: path, from: sender)
    }

    private mutating func addAgent(_ agent: String = ":1.9", level: UInt32 = 8) {
        double.addAgent(agent)
        double.tell(.level(level), by: agent)
    }

    @Test mutating func consentBeginsAndGrantsNothing() {
        addAgent()
        let call = start()
        #expect(double.askedApps.map(\.agent) == [":1.9"])
        #expect(double.askedApps.first?.desktopID == "org.example.map" && double.askedApps.first?.level == 8)
        #expect(double.watches.isEmpty && double.replies[call] == nil)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.watches.count == 1 && double.replies[call] == nil, "the daemon has the last word")
        double.tell(.denied)
        #expect(double.errors[call] == .accessDenied)
    }

    @Test mutating func refusalIsAccessDenied() {
        addAgent()
        let call = start()
        double.tell(.refused, ofAppBy: ":1.9")
        #expect(double.errors[call] == .accessDenied && double.watches.isEmpty && double.requested.isEmpty)
    }

    @Test mutating func levelThatIsAllowedLimits() {
        addAgent()
        _ = start()
        double.tell(.allowed(4), ofAppBy: ":1.9")
        #expect(double.watches[1]?.reducedAccuracy == true)
        let other = start(of: ":1.2")
        double.tell(.allowed(0), ofAppBy: ":1.9")
        #expect(double.errors[other] == .accessDenied && double.watches.count == 1)
    }

    /// A person may be reading the agent's dialog.
    @Test mutating func silenceAnswersStartAndLetsNoLocationOut() {
        addAgent()
        let call = start()
        double.wait(AppQuestions.timeout - .seconds(1))
        #expect(double.replies[call] == nil)
        double.wait(.seconds(1))
        #expect(double.replies[call] == [] && double.watches.isEmpty)
        let again = double.call("Start", at: "/org/freedesktop/GeoClue2/Client/1")
        #expect(double.replies[again] == [] && double.askedApps.count == 1)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.watches.count == 1)
        double.tell(.authorizedAlways)
        #expect(double.get("Active", of: "/org/freedesktop/GeoClue2/Client/1") == .boolean(true))
        #expect(double.service.deadline == nil)
    }

    @Test mutating func silenceOfTenMinutesIsARefusal() {
        addAgent()
        let call = start()
        double.wait(AppQuestions.timeout)
        double.wait(AppQuestions.patience - AppQuestions.timeout - .seconds(3))
        #expect(double.replies[call] == [] && double.notedRefusals.isEmpty && double.service.deadline != nil)
        double.wait(.seconds(3))
        #expect(double.notedRefusals.map(\.label) == ["GeoClue: org.example.map"] && double.watches.isEmpty)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.watches.isEmpty, "an answer that comes later is no start")
    }

    @Test(arguments: [true, false])
    mutating func heldProgramGoesOnWhenTheAgentLeavesAndEndsWithARefusal(agentLeaves: Bool) {
        addAgent()
        _ = start()
        double.wait(AppQuestions.timeout)
        if agentLeaves { double.forget(":1.9") } else { double.tell(.refused, ofAppBy: ":1.9") }
        #expect(double.watches.count == (agentLeaves ? 1 : 0))
        #expect(double.service.deadline == nil)
    }

    @Test mutating func heldProgramThatStopsOrLeavesIsNotStartedByTheAnswer() {
        addAgent()
        _ = start()
        double.wait(AppQuestions.timeout)
        double.call("Stop", at: "/org/freedesktop/GeoClue2/Client/1")
        double.tell(.allowed(8), ofAppBy: ":1.9")
        _ = start(of: ":1.2")
        double.wait(AppQuestions.timeout)
        double.forget(":1.2")
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.watches.isEmpty && double.service.deadline == nil)
    }

    /// GNOME Shell replaces all permissions that it remembers where it is asked about an id without a desktop file.
    @Test(arguments: [("gnome-shell", 0), ("sm.puri.Phosh", 1)])
    mutating func programWithoutDesktopFileIsNotAskedAboutAtGNOMEShell(agent: String, asked: Int) {
        double.addAgent(":1.9", id: agent)
        double.tell(.level(8), by: ":1.9")
        let path = double.client()
        double.set("DesktopId", .string("org.example.nowhere"), of: path)
        let call = double.call("Start", at: path)
        #expect(double.askedApps.count == asked)
        if asked > 0 { double.tell(.refused, ofAppBy: ":1.9") }
        #expect(double.errors[call] == .accessDenied && double.watches.isEmpty)
        #expect(double.notedRefusals.map(\.isForDesktopFile) == [true])
        #expect(double.notedRefusals.first?.reason.contains("no desktop file of this program's DesktopId") == true)
    }

    /// The person and GNOME Shell decide about the id that was looked at.
    @Test mutating func idCannotChangeWhileTheAgentIsAsked() {
        addAgent()
        _ = start()
        let path = double.client(of: ":1.2")
        double.call("Start", at: path, from: ":1.2")
        let change = double.set("DesktopId", .string("org.example.nowhere"), of: path, from: ":1.2")
        #expect(double.errors[change] == .accessDenied)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.askedApps.map(\.desktopID) == ["org.example.map", "org.example.map"])
    }

    @Test func desktopFilesAreThoseOfTheFoldersByAnIDThatIsAName() throws {
        let folder = NSTemporaryDirectory() + "desktop-files-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/applications", withIntermediateDirectories: true)
        for path in ["applications/org.example.map.desktop", "outside.desktop", "applications/.hidden.desktop"] {
            try "[Desktop Entry]\n".write(toFile: "\(folder)/\(path)", atomically: true, encoding: .utf8)
        }
        let files = DesktopFiles(folders: "/nonexistent:\(folder)")
        #expect(files.hasFile(of: "org.example.map"))
        for id in ["org.example.other", "../outside", ".hidden", "", "org.example.map\0"] {
            #expect(!files.hasFile(of: id), "\(id)")
        }
    }

    @Test mutating func errorAndAnAgentThatLeavesAreAsWithout() {
        addAgent()
        _ = start()
        double.tell(AppQuestions.Answer.none, ofAppBy: ":1.9")
        #expect(double.watches.count == 1)
        _ = start(of: ":1.2")
        double.forget(":1.9")
        #expect(double.watches.count == 2)
    }

    @Test mutating func agentIsAskedAboutOneProgramAtATime() {
        addAgent()
        let calls = (2...5).map { start(of: ":1.\($0)") }
        #expect(double.askedApps.count == 1)
        double.tell(.refused, ofAppBy: ":1.9")
        #expect(double.errors[calls[0]] == .accessDenied && double.askedApps.count == 2)
        // Who has gone is not asked about.
        double.forget(":1.4")
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.askedApps.count == 3)
        double.tell(.refused, ofAppBy: ":1.9")
        #expect(double.errors[calls[3]] == .accessDenied && double.watches.count == 1)
        // An answer that nobody waits for.
        double.tell(.refused, ofAppBy: ":1.9")
        #expect(double.watches.count == 1 && double.askedApps.count == 3)
    }

    @Test mutating func everyAgentOfTheUserIsAskedAndTheStrictestCounts() {
        addAgent(":1.8")
        addAgent(":1.9")
        let call = start()
        #expect(double.askedApps.map(\.agent).sorted() == [":1.8", ":1.9"])
        double.tell(.allowed(8), ofAppBy: ":1.8")
        #expect(double.watches.isEmpty)
        double.tell(.refused, ofAppBy: ":1.9")
        #expect(double.errors[call] == .accessDenied)
        let other = start(of: ":1.2")
        double.tell(.allowed(4), ofAppBy: ":1.8")
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.watches[2]?.reducedAccuracy == true && double.errors[other] == nil)
    }

    @Test mutating func stopWhileItIsAskedEndsTheStart() {
        addAgent()
        let path = double.client()
        let call = double.call("Start", at: path)
        double.call("Stop", at: path)
        #expect(double.errors[call] == .accessDenied)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.watches.isEmpty)
        let again = double.call("Start", at: path)
        #expect(double.askedApps.count == 2)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        double.tell(.authorizedAlways)
        #expect(double.replies[again] == [])
    }

    @Test mutating func anotherUsersAgentIsNotAsked() {
        double.addAgent(":2.1", of: 1003)
        double.tell(.level(8), by: ":2.1")
        _ = start()
        #expect(double.askedApps.isEmpty && double.watches.count == 1)
    }

    @Test mutating func consentWithLessThatComesLateLimits() {
        addAgent()
        _ = start()
        double.wait(AppQuestions.timeout)
        double.tell(.allowed(4), ofAppBy: ":1.9")
        #expect(double.watches[1]?.reducedAccuracy == true)
    }

    /// GNOME Shell's agent answers the level that it is asked about: that of none would be a refusal.
    @Test(arguments: [(0, 1), (3, 1), (4, 4), (7, 6), (8, 8), (UInt32.max, 8)] as [(UInt32, UInt32)])
    mutating func levelIsOneThatAgentsKnow(requested: UInt32, asked: UInt32) {
        addAgent()
        _ = start(level: requested)
        #expect(double.askedApps.first?.level == asked)
    }

    @Test mutating func agentsLevelLimitsWhatItIsAskedAbout() {
        addAgent(level: 5)
        _ = start()
        #expect(double.askedApps.first?.level == 5)
    }

    @Test mutating func desktopsOwnPartsAreNotAskedAbout() {
        addAgent()
        let path = double.client()
        double.set("DesktopId", .string("gnome-datetime-panel"), of: path)
        double.call("Start", at: path)
        #expect(double.askedApps.isEmpty && double.watches.count == 1)
    }

    /// The list is that of GeoClue's configuration, and the portal.
    @Test func unaskedProgramsAreThoseOfGeoCluesConfiguration() throws {
        let text = try String(contentsOfFile: "/etc/geoclue/geoclue.conf", encoding: .utf8)
        var allowed: Set<String> = []
        var section = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") { section = String(line.dropFirst().prefix { $0 != "]" }) }
            if line == "allowed=true" { allowed.insert(section) }
        }
        #expect(!allowed.isEmpty && GeoClueService.unasked.isSuperset(of: allowed))
    }

    /// Starts a client of a user whose agents answer the level and never about a program.
    private mutating func startOfSilentUser(_ number: Int, agents: Int) -> Int {
        let uid = UInt32(2000 + number)
        for agent in 0..<agents {
            double.addAgent(":9.\(number).\(agent)", of: uid)
            double.tell(.level(8), by: ":9.\(number).\(agent)")
        }
        let sender = ":5.\(number)"
        let path = double.client(of: sender, uid: uid)
        return double.call("Start", at: path, from: sender)
    }

    @Test mutating func silentAgentsOfOthersLeaveAUserItsQuestion() {
        for number in 0..<6 { _ = startOfSilentUser(number, agents: GeoClueAgents.perUser) }
        #expect(double.askedApps.count == 6 + AppQuestions.furtherQuestions, "few agents beside each user's first")
        addAgent()
        let call = start()
        #expect(double.askedApps.last?.agent == ":1.9")
        double.tell(.refused, ofAppBy: ":1.9")
        #expect(double.errors[call] == .accessDenied)
    }

    @Test mutating func programOfOneUserMoreThanAreAskedIsRefused() {
        let calls = (0...AppQuestions.users).map { startOfSilentUser($0, agents: 1) }
        #expect(double.askedApps.count == AppQuestions.users)
        double.wait(AppQuestions.timeout)
        #expect(double.watches.isEmpty && double.errors[calls[AppQuestions.users]] == .accessDenied)
        double.forget(":9.0.0")
        #expect(double.askedApps.count == AppQuestions.users, "nobody waits for the answer any more")
        _ = double.call(
            "Start", at: "/org/freedesktop/GeoClue2/Client/\(AppQuestions.users + 1)", from: ":5.\(AppQuestions.users)")
        #expect(double.askedApps.count == AppQuestions.users + 1)
    }

    @Test mutating func programBehindAnUnansweredQuestionIsRefused() {
        addAgent()
        _ = start()
        let second = start(of: ":1.2")
        double.wait(AppQuestions.timeout)
        #expect(double.watches.isEmpty && double.errors[second] == .accessDenied)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.askedApps.count == 1 && double.watches.count == 1)
    }

    @Test mutating func questionThatTheBusRefusesIsRepeatedAndNoConsent() {
        addAgent()
        let call = start()
        double.tell(AppQuestions.Answer.undelivered, ofAppBy: ":1.9")
        #expect(double.watches.isEmpty && double.askedApps.count == 1)
        double.wait(GeoClueAgents.retry - .milliseconds(1))
        #expect(double.askedApps.count == 1)
        double.wait(.milliseconds(1))
        #expect(double.askedApps.count == 2)
        double.tell(AppQuestions.Answer.undelivered, ofAppBy: ":1.9")
        double.wait(AppQuestions.timeout)
        #expect(double.watches.isEmpty && double.errors[call] == .accessDenied)
    }

    @Test mutating func questionThatIsDeliveredLaterCounts() {
        addAgent()
        _ = start()
        double.tell(AppQuestions.Answer.undelivered, ofAppBy: ":1.9")
        double.wait(GeoClueAgents.retry)
        double.tell(.allowed(8), ofAppBy: ":1.9")
        #expect(double.watches.count == 1)
    }
}
