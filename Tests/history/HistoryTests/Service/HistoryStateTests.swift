import ClientTestSupport
import ProgramTestSupport
import Testing

/// What the service says of itself to systemd.
@Suite(.timeLimit(.minutes(10))) struct HistoryStateTests {
    @Test func daemonThatIsAwayIsSaidInTheStatus() async throws {
        let machine = try await HistoryMachine()
        let receiver = try NotificationReceiver(machine.folder("notify"))
        let history = try await machine.start(environment: ["NOTIFY_SOCKET": receiver.address])
        func isSaid(_ words: String) async throws {
            try await eventually(words, details: { "\(receiver.messages) \(history.errors)" }) {
                receiver.messages.last?.hasPrefix("STATUS=" + words) == true
            }
        }
        try await isSaid("recording; the last location is ")
        try await machine.daemon.end()
        try await isSaid("degraded: ")
        try await blocking { try machine.daemon.start() }
        try await isSaid("recording; the last location is ")
    }
}
