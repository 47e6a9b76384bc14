import LocationInterface

/// A client: what it has asked, what it was told, how it reads.
final class Guest {
    enum Ask {
        case location(maximumAge: Double, accuracy: Double?, timeout: Double, passive: Bool, after: Int64)
        case watch(ExpectedWatch.Request)
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
    /// Reads as soon as there is something.
    var isPrompt = true
    /// Has broken the protocol, or left: anything may follow.
    var isLawless = false
    /// Is let go of once it was answered.
    var leavesWhenAnswered = false
    var watch: ExpectedWatch?
    var monitor: (passive: Bool, view: ExpectedPermissions.View)?
    var lastSequence: Int64 = 0
    var lastState: String?
    var lastEnabled: Bool?

    init(number: Int, uid: UInt32, kind: SocketKind, socket: VirtualSocket, process: Int) {
        self.number = number
        self.uid = uid
        self.kind = kind
        self.socket = socket
        self.process = process
    }

    var isGone: Bool { socket.isClosed || socket.isPeerGone }
}
