import Authorization
import Glibc
import ProgramTestSupport
import Testing

/// Who is on the other side, as the kernel tells it, and what becomes of it on kernels that tell less.
@Suite(.timeLimit(.minutes(10)))
struct PeerTests {
    private static let unit = "system.slice/navigator.service"
    private let tree: FakeTree
    private let pair: SocketPair

    init() throws {
        tree = try FakeTree([Self.unit])
        pair = try SocketPair()
    }

    /// The own process, which seems to run in the tree's unit.
    private func identify(
        removed: Set<AlteredCalls.Call> = [], failing: Set<AlteredCalls.Call> = []
    ) throws -> Principal? {
        let calls = AlteredCalls(removed: removed, failing: failing, group: try tree.number(Self.unit))
        return Peer.identify(socket: pair.one, calls: calls, tree: ControlGroupTree(roots: [tree.path]))?.principal
    }

    @Test func kernelTellsUserProcessAndGroups() throws {
        let principal = try #require(Peer.identify(socket: pair.one, tree: ControlGroupTree(roots: []))).principal
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(groups.count), &groups)
        #expect(principal.uid == getuid())
        #expect(principal.pid == getpid())
        #expect(principal.groups == Set(groups.prefix(Int(count)) + [getgid()]))
        #expect(principal.unit == nil)
        #expect(principal.description == "uid:\(getuid())")
    }

    @Test(.enabled(if: ControlGroupTree.kernelReportsUnits(), "the kernel does not tell units"))
    func unitStandsForItsUser() throws {
        let principal = try #require(try identify())
        #expect(principal.unit == "navigator.service")
        #expect(principal.uid == getuid())
        #expect(principal.description == "unit:navigator.service")
    }

    @Test(arguments: [[.process], [.controlGroup], [.process, .controlGroup]] as [Set<AlteredCalls.Call>])
    func olderKernelLeavesTheUnitUntold(_ removed: Set<AlteredCalls.Call>) throws {
        let principal = try #require(try identify(removed: removed))
        #expect(principal.unit == nil)
        #expect(principal.uid == getuid())
        #expect(principal.pid == getpid())
    }

    @Test(arguments: [[.credentials], [.groups], [.process, .openProcess]] as [Set<AlteredCalls.Call>])
    func kernelThatCannotTellWhoItIsHasNoClients(_ removed: Set<AlteredCalls.Call>) throws {
        #expect(try identify(removed: removed) == nil)
    }

    @Test(
        .enabled(if: ControlGroupTree.kernelReportsUnits(), "the kernel does not tell units"),
        arguments: [.credentials, .groups, .process, .controlGroup] as [AlteredCalls.Call])
    func callThatFailsRefuses(_ call: AlteredCalls.Call) throws {
        #expect(try identify(failing: [call]) == nil)
    }

    @Test func olderCallIsAskedOnlyWhereThereIsNoNewerOne() throws {
        #expect(try identify(removed: [.process], failing: [.openProcess]) == nil)
        #expect(try identify(removed: [.openProcess]) != nil)
    }

    @Test(.enabled(if: ControlGroupTree.kernelReportsUnits(), "the kernel does not tell units"))
    func treeThatCannotBeReadRefuses() throws {
        let broken = try FakeTree()
        try broken.makeFile("system.slice")
        #expect(Peer.identify(socket: pair.one, tree: ControlGroupTree(roots: [broken.path])) == nil)
    }

    @Test func noSocketIsNobody() throws {
        let tree = ControlGroupTree(roots: [])
        #expect(Peer.identify(socket: -1, tree: tree) == nil)
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(Peer.identify(socket: file, tree: tree) == nil)
        let alone = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(alone) }
        #expect(Peer.identify(socket: alone, tree: tree) == nil)
    }

    @Test func unitsAreToldOnlyIfEveryCallIsThere() throws {
        func areTold(_ calls: AlteredCalls) -> Bool {
            ControlGroupTree.kernelReportsUnits(calls: calls, roots: [tree.path])
        }
        let isModern = ControlGroupTree.kernelReportsUnits(roots: [tree.path])
        #expect(areTold(AlteredCalls()) == isModern)
        for call in [AlteredCalls.Call.process, .controlGroup] {
            #expect(!areTold(AlteredCalls(removed: [call])))
            #expect(!areTold(AlteredCalls(failing: [call])))
        }
        #expect(areTold(AlteredCalls(removed: [.openProcess])) == isModern)
        #expect(!ControlGroupTree.kernelReportsUnits(roots: []))
    }
}
