import Authorization
import Glibc
import ProgramTestSupport
import Testing

/// Who connects, told of other processes.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: access(AssistantProcess.interpreter, X_OK) == 0, "visitors need \(AssistantProcess.interpreter)"))
struct OtherProcessPeerTests {
    private let entrance: Entrance
    private let tree = ControlGroupTree()

    init() throws {
        entrance = try Entrance()
    }

    private func assistant(uid: UInt32? = nil, groups: [UInt32] = [], in group: ControlGroup? = nil) throws
        -> AssistantProcess
    {
        try AssistantProcess(
            AssistantProcess.python(Script.visit, [entrance.path]), uid: uid, groups: groups, in: group)
    }

    @Test func processIsTheOneThatConnected() async throws {
        let assistant = try assistant()
        let connection = try await entrance.accept()
        let principal = try #require(Peer.identify(socket: connection.descriptor, tree: tree)).principal
        #expect(principal.pid == assistant.id)
        #expect(principal.uid == getuid())
    }

    @Test(.enabled(if: ControlGroupTree.kernelReportsUnits(), "the kernel does not tell units"))
    func processThatIsGoneIsRefused() async throws {
        let assistant = try assistant()
        let connection = try await entrance.accept()
        try await assistant.end()
        #expect(Peer.identify(socket: connection.descriptor, tree: tree) == nil)
    }

    @Test func numberOfAProcessThatIsGoneIsRefusedOnOlderKernels() async throws {
        let assistant = try assistant()
        let connection = try await entrance.accept()
        try await assistant.end()
        let calls = AlteredCalls(removed: [.process, .controlGroup])
        #expect(Peer.identify(socket: connection.descriptor, calls: calls, tree: tree) == nil)
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func otherUserIsToldWithEveryGroup() async throws {
        // More than the first look takes.
        let groups = (70_000..<70_100).map(UInt32.init)
        let assistant = try assistant(uid: 65_533, groups: groups)
        let connection = try await entrance.accept()
        let principal = try #require(Peer.identify(socket: connection.descriptor, tree: tree)).principal
        #expect(principal.uid == 65_533)
        #expect(principal.pid == assistant.id)
        #expect(principal.groups == Set(groups + [65_533]))
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func userWhoMayBeAnyoneIsRefused() async throws {
        let assistant = try assistant(uid: Principal.overflowUID)
        let connection = try await entrance.accept()
        #expect(Peer.identify(socket: connection.descriptor, tree: tree) == nil)
        try await assistant.end()
    }

    @Test(
        .enabled(
            if: ControlGroup.isPossible && ControlGroupTree.kernelReportsUnits(), "units take root and Linux 6.13"),
        arguments: [
            ("system.slice/NAME.service", "NAME.service"),
            (#"system.slice/system-NAME\x2da.slice/NAME@1.service"#, "NAME@1.service"),
            ("system.slice/NAME.service/other.service", "NAME.service"),
            ("system.slice/NAME.service/a/b.slice/other.service", "NAME.service"),
            ("system.slice/NAME.scope/forged.service", nil),
            ("system.slice/NAME.scope", nil),
            ("user.slice/app-NAME-org.gnome.Maps-1.scope", nil),
            ("user.slice/NAME.slice/forged.service", nil),
            ("user.slice/NAME-forged.service", nil),
            ("user.slice/NAME.slice/system.slice/forged.service", nil),
            ("NAME-forged.service", nil),
        ] as [(String, String?)])
    func unitIsTheSystemsAlone(_ place: String, _ unit: String?) async throws {
        // Each test has groups of its own, also beside those of another run.
        let number = place.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        func named(_ text: String) -> String {
            text.replacing("NAME", with: "locationd-test-\(getpid())-\(number)")
        }
        let group = try ControlGroup(named(place))
        let assistant = try assistant(in: group)
        let connection = try await entrance.accept()
        let principal = try #require(Peer.identify(socket: connection.descriptor, tree: tree)).principal
        #expect(principal.unit == unit.map(named))
        #expect(principal.pid == assistant.id)
        try await assistant.end()
    }
}
