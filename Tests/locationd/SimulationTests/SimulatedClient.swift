@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ReferenceModel

/// A client of the simulated machine: what it has asked, how it reads, and what the reference model knows of it.
final class SimulatedClient {
    enum Ask {
        case location(ExpectedRequest)
        case watch(WatchRequest)
        case monitor(passive: Bool)
        case other
    }

    let number: Int
    let uid: UInt32
    let kind: SocketKind
    let socket: VirtualSocket
    /// By which the daemon knows it.
    let process: Int
    /// Calls without a final reply, in order.
    var asked: [Ask] = []
    /// Since when the first of them could be served, in seconds the machine was awake.
    var headSince = 0.0
    /// What it has yet to send.
    var unsent: [UInt8] = []
    /// Whether a bridge has made the connection and serves it.
    var isServed = false
    /// The groups of the user whom a bridge serves are looked up before the first reply.
    var isLookedUp = false
    /// Reads as soon as there is something.
    var isPrompt = true
    /// Is let go of once it was answered.
    var leavesWhenAnswered = false
    /// What the reference model knows of it.
    let expected: ExpectedClient
    var monitor: (passive: Bool, view: ExpectedView)?

    init(number: Int, uid: UInt32, view: ExpectedView, kind: SocketKind, socket: VirtualSocket, process: Int) {
        self.number = number
        expected = ExpectedClient(number: number, view: view)
        self.uid = uid
        self.kind = kind
        self.socket = socket
        self.process = process
    }

    var watch: ExpectedWatch? {
        get { expected.watch }
        set { expected.watch = newValue }
    }

    /// Has broken the protocol, or left: anything may follow.
    var isExempt: Bool {
        get { expected.isExempt }
        set { expected.isExempt = newValue }
    }

    /// The state of the sources it was told last.
    var lastState: String? { expected.lastStatus?.state }

    var isGone: Bool { socket.isClosed || socket.isPeerGone }
}
