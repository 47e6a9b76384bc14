import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore
import NIOPosix
import ProgramTestSupport
import ServiceServer
import Testing
import Varlink

/// What a service's watches do when the daemon is restarted.
@Suite(.timeLimit(.minutes(10)))
struct RestartTests {
    /// What one watch has received.
    private struct Record {
        var sequences: [Int64] = []
        /// The moments of the first answers of its connections.
        var answers: [ContinuousClock.Instant] = []
        var isOpen = false
        /// An outage, or a daemon that says that it stops.
        var hasLost = false
    }

    /// All watches of a service, on one event loop.
    private final class Watches {
        private var sessions: [ServedWatch] = []
        private(set) var records: [Record]

        init(_ count: Int, of users: Int, at daemon: String, on loop: any EventLoop) throws {
            records = Array(repeating: Record(), count: count)
            for index in 0..<count {
                let program = ServedProgram(uid: UInt32(50_000 + index % users), label: "crowd")
                let call = try MessageEncoder().call(
                    LocationInterface.Method.watch, ServedRequest(request: WatchRequest(), program: program), more: true
                )
                sessions.append(
                    ServedWatch(daemon: daemon, call: call, on: loop) { [weak self] in self?.apply($0, index) })
            }
        }

        private func apply(_ event: ServedWatch.Event, _ index: Int) {
            switch event {
            case .failed: (records[index].isOpen, records[index].hasLost) = (false, true)
            case .answer(let update):
                if update.status?.reason == "stopping" {
                    (records[index].isOpen, records[index].hasLost) = (false, true)
                } else if !records[index].isOpen {
                    records[index].isOpen = true
                    records[index].answers.append(.now)
                }
                if let location = update.location?.value { records[index].sequences.append(location.sequence) }
            }
        }

        func close() { for session in sessions { session.close() } }
    }

    @Test func thousandWatchesOf64UsersComeBackOnceEach() async throws {
        let folder = try TemporaryFolder()
        let policy = try folder.write(
            "[[rules]]\neveryone = true\nauthorization = \"authorizedAlways\"\n", to: "policy.toml")
        let daemon = try await DaemonProcess.started(
            "[[sources]]\nkind = \"simulator\"\n", flags: ["--policy", policy], in: folder)
        let control = daemon.control
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let watches = try await loop.submit {
            NIOLoopBound(try Watches(1000, of: 64, at: control, on: loop), eventLoop: loop)
        }.get()
        func records() async throws -> [Record] { try await loop.submit { watches.value.records }.get() }

        try await eventually("all are answered") { try await records().allSatisfy(\.isOpen) }
        try await daemon.end()
        try await eventually("all know that it is gone") { try await records().allSatisfy(\.hasLost) }
        try await blocking { try daemon.start() }
        let start = ContinuousClock.now
        try await eventually("all are back") { try await records().allSatisfy { $0.answers.count > 1 && $0.isOpen } }
        // How long each waits is `DaemonSessionTests`' matter: on a busy machine this loop hears of many at once.
        let moments = try await records().compactMap(\.answers.last).sorted()
        let spread = try #require(moments.last) - #require(moments.first)
        print("1,000 watches came back within \(ContinuousClock.now - start), over \(spread)")
        try await eventually("fixes come") { try await records().allSatisfy { $0.sequences.count > 1 } }
        let all = try await records()
        #expect(all.allSatisfy { Set($0.sequences).count == $0.sequences.count }, "no fix comes twice")
        let clients = try await blocking {
            try daemon.administer(AdminInterface.Method.listClients, as: ClientList.self)
        }
        #expect(clients.clients.count { $0.label == "crowd" } == 1000, "nor does a watch")
        try await loop.submit { watches.value.close() }.get()
        try await daemon.end()
    }
}
