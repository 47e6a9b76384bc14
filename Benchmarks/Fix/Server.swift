import Authorization
import Glibc
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import NIOCore
import NIOEmbedded
import ServerDoubles
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// The daemon's server without its event loop, and the clients of sixty watches: fifty see each fix, ten filter.
final class Server {
    private(set) var deliveries = 0
    private(set) var bytes = 0
    private let service: ServerDispatcher
    private let mailbox = Mailbox { _ in }
    private let loop = EmbeddedEventLoop()
    private var clients: [Int32] = []
    private var channels: [EmbeddedChannel] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    struct Failure: Error {
        let description: String
    }

    init(estimates: Bool) throws {
        let hub = Hub(
            settings: HubSettings(), sources: ["gpsd"], isEnabled: true, sequenceStart: 0, lastLocation: nil,
            at: MachineClock.now)
        // The daemon's own user, as which this program runs, is authorized.
        let policy = AccessPolicy(daemonUID: geteuid(), group: nil, groupName: "locationd")
        service = ServerDispatcher(
            loop: ServiceLoop(on: loop), settings: ServerSettings(version: "0", policy: policy),
            decisions: .known(DecisionTable()),
            sessions: SystemdLogin(), hub: hub, environment: ServerHooks().environment,
            logger: Logger(label: "fix") { _ in SwiftLogNoOpLogHandler() })
        guard service.watchProcesses() else { throw Failure(description: "no thread can be started") }
        let wish = #""estimate":\#(estimates)"#
        for number in 0..<60 { try watch(wish + (number < 50 ? "" : #","distanceFilter":25,"requiredAccuracy":10"#)) }
        readAll()
    }

    private func watch(_ parameters: String) throws {
        var pair: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
            throw Failure(description: "no socket can be made")
        }
        let channel = EmbeddedChannel(loop: loop)
        let connection = Connection(
            channel: channel, descriptor: pair[0], requestLimit: 65_536, encoder: MessageEncoder())
        try Listener.admit(connection) { service.accept($0, descriptor: pair[0], socket: .location) }
        let call = #"{"method":"org.locationd.location.Watch","parameters":{\#(parameters)},"more":true}"#
        try channel.writeInbound(ByteBuffer(string: call + "\0"))
        channels.append(channel)
        clients.append(pair[1])
    }

    /// Serves events of the source, and has the clients read what they are sent.
    func serve(_ events: [SourceEvent]) {
        for event in events { mailbox.post(event, from: 0) }
        service.read(mailbox)
        readAll()
    }

    private func readAll() {
        for client in clients {
            let count = recv(client, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { continue }
            bytes += count
            deliveries += buffer[..<count].count { $0 == 0 }
        }
    }
}
