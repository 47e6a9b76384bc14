import Authorization
import Glibc
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import NIOCore
import NIOEmbedded
import ServerDoubles
import ServiceServer
@_spi(Programs) import SystemSupport

@testable import LocationServer
@testable import locationd

/// The real service on an event loop that the fuzzer turns, with principals of every kind. All there is runs on one
/// thread, in the same order in every run; nothing touches a disk.
final class FuzzedService {
    static let device = "/dev/ttyACM0"
    private static let group: UInt32 = 64_001

    /// A client: who it is, where it connects, and whether it may know before anybody has decided anew.
    struct AssistantProcess {
        let uid: UInt32
        var groups: Set<UInt32> = []
        var socket = SocketKind.location
        let mayKnow: Bool
    }

    /// The clients by number.
    static let visitors = [
        AssistantProcess(uid: 0, socket: .control, mayKnow: true), AssistantProcess(uid: 0, mayKnow: true),
        // Of the trusted group; nobody in particular, on both sockets.
        AssistantProcess(uid: 1001, groups: [group], socket: .control, mayKnow: true),
        AssistantProcess(uid: 1002, mayKnow: false), AssistantProcess(uid: 1002, socket: .control, mayKnow: false),
        // Denied; only roughly; only while its user is here; not more often than once a minute.
        AssistantProcess(uid: 1003, mayKnow: false), AssistantProcess(uid: 1004, mayKnow: true),
        AssistantProcess(uid: 1005, mayKnow: true),
        AssistantProcess(uid: 1006, mayKnow: true),
        // A reader of sentences.
        AssistantProcess(uid: 1001, groups: [group], socket: .nmea, mayKnow: true),
    ]

    private let loop = EmbeddedEventLoop()
    private let environment = FuzzedEnvironment()
    private let service: ServerDispatcher
    private let mailbox = Mailbox { _ in }
    private var clients: [Int: FuzzedClient] = [:]
    private var permissions: [Int: Permission] = [:]
    private var fixes: [Coordinate] = []
    private var isDecidedAnew = false

    init() {
        var settings = ServerSettings(
            version: "fuzz",
            policy: AccessPolicy(
                daemonUID: 64_999, group: Self.group, groupName: "locationd",
                rules: [
                    PolicyRule(.uid(1006), .authorizedAlways, minimumInterval: 60, origin: "policy.toml:1"),
                    PolicyRule(.uid(1007), .restricted, origin: "policy.toml:2"),
                    PolicyRule(.bridge(.nmea), .authorizedAlways, origin: "policy.toml:3"),
                ]))
        settings.hub.linger = 0
        settings.peerCalls = Peers()
        settings.limits.requestSize = 4096
        let time = UTCTime(seconds: 1_800_000_000)
        var decisions = DecisionTable()
        decisions.decide(Decision(.denied, by: "uid:0", time: time), about: .uid(1003))
        decisions.decide(Decision(.authorizedAlways, accuracy: .reduced, by: "uid:0", time: time), about: .uid(1004))
        decisions.decide(Decision(.authorizedWhenInUse, by: "uid:0", time: time), about: .uid(1005))
        var chance = FixedChance()
        let clock = Self.clock(of: loop)
        let now = clock.now()
        let reduction = ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &chance))
        let hub = Hub(
            settings: settings.hub, sources: ["receiver", "other"], isEnabled: true, sequenceStart: 100,
            lastLocation: nil, reduction: reduction, at: now, generator: chance)
        service = ServerDispatcher(
            loop: ServiceLoop(on: loop), settings: settings, decisions: .known(decisions), sessions: Sessions(),
            hub: hub,
            environment: environment.hooks.environment, logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() },
            clock: clock)
        service.connections.processes = Self.processes
        service.locations.delivery.directSends = DirectSendTable { [weak self] number, bytes in
            require(self?.clients[Int(number)], "varlink: nothing is sent to \(number), who has gone").inbox.offer(
                bytes)
        }
    }

    /// Both clocks go with the event loop.
    private static func clock(of loop: EmbeddedEventLoop) -> ServiceClock {
        ServiceClock(
            now: { BootInstant(seconds: 1000).advanced(bySeconds: Double(loop.now.uptimeNanoseconds) / 1e9) },
            utc: { UTCTime(seconds: 1_800_000_000, nanoseconds: Int64(loop.now.uptimeNanoseconds)) })
    }

    /// For all of them: none of the processes ends.
    private static let processes = ProcessWatch { _ in }

    var present: BootInstant { service.now }

    func nextFix() -> Location {
        let step = Double(fixes.count) * 0.01
        let coordinate = require(
            Coordinate(latitude: 48.123456789 + step, longitude: 11.987654321), "fuzz: a place on the Earth")
        fixes.append(coordinate)
        var fix = Location(
            coordinate: coordinate, mode: .threeDimensional, monotonicTime: present,
            source: SourceInformation(name: "receiver", device: Self.device))
        (fix.horizontalAccuracy, fix.altitude, fix.speed, fix.course) = (3, 500, 1.5, 90)
        return fix
    }

    func post(_ event: SourceEvent) {
        mailbox.post(event, from: 0)
        service.read(mailbox)
    }

    func send(_ bytes: ArraySlice<UInt8>, from number: Int) {
        guard let client = clients[number] ?? connect(number) else { return }
        client.send(bytes)
    }

    private func connect(_ number: Int) -> FuzzedClient? {
        let socket = Self.visitors[number].socket
        let client = require("varlink: a channel can be made") {
            try FuzzedClient(
                on: loop, number: number, hasSentences: socket == .nmea,
                requestLimit: service.settings.limits.requestSize)
        }
        guard let owner = service.accept(client.connection, descriptor: Int32(number), socket: socket) else {
            client.leave()
            return nil
        }
        client.connection.owner = owner
        clients[number] = client
        permissions[number] = service.connections.registry.client(of: client.connection)?.permission
        return client
    }

    func leave(_ number: Int) { clients.removeValue(forKey: number)?.leave() }

    func endInput(of number: Int) { clients[number]?.endInput() }

    func setReading(_ isReading: Bool) { for client in clients.values { client.inbox.isReading = isReading } }

    func pass(_ time: TimeAmount) { loop.advanceTime(by: time) }

    /// Lets everything happen that follows, and checks what everybody was told by it.
    func settle() {
        repeat { loop.advanceTime(by: .milliseconds(1)) } while environment.run()
        let hasDecided = environment.takeDecided()
        isDecidedAnew = isDecidedAnew || hasDecided
        for (number, client) in clients {
            let now = service.connections.registry.client(of: client.connection)?.permission
            let mayKnow = isDecidedAnew || Self.visitors[number].mayKnow
            require(now?.mayReceive != true || mayKnow, "varlink: client \(number) may know all at once")
            let both = [permissions[number], now ?? permissions[number]].compactMap(\.self)
            client.read(permissions: hasDecided ? nil : both, exact: fixes)
            permissions[number] = now ?? permissions[number]
        }
    }

    /// Everybody goes.
    func end() {
        for number in clients.keys.sorted() { leave(number) }
        settle()
        require(
            service.connections.clients.isEmpty && service.connections.registry.isEmpty, "varlink: a client is left")
        require(
            service.locations.delivery.watchers.allSatisfy { $0 == nil } && service.locations.requesters.isEmpty,
            "varlink: a watch is left"
        )
        require(
            service.locations.hub.watchCount == 0 && service.locations.hub.requestCount == 0,
            "varlink: the hub keeps a watch")
        require(service.connections.limits.admission.total == 0, "varlink: a place is taken")
        pass(.seconds(1))
        settle()
        require(environment.demand == 0, "varlink: \(environment.demand) sources run for nobody")
        _ = service.finish(reason: "stopping", within: 5)
        loop.advanceTime(by: .seconds(10))
        while environment.run() { loop.advanceTime(by: .seconds(60)) }
    }
}

/// The kernel's answers: a descriptor is the number of a client.
private struct Peers: PeerCalls {
    func credentials(of socket: Int32) -> KernelAnswer<PeerCredentials> {
        .value(PeerCredentials(pid: 1, uid: FuzzedService.visitors[Int(socket)].uid, gid: 60_000))
    }

    func groups(of socket: Int32) -> KernelAnswer<Set<UInt32>> { .value(FuzzedService.visitors[Int(socket)].groups) }

    func process(of socket: Int32) -> KernelAnswer<ProcessDescriptor> { KernelPeerCalls().openProcess(getpid()) }

    func openProcess(_ pid: Int32) -> KernelAnswer<ProcessDescriptor> { .failed }

    func controlGroup(of process: ProcessDescriptor) -> KernelAnswer<UInt64> { .unsupported }
}

/// Everybody is here.
private struct Sessions: LoginSessions {
    let isPresent = true

    func isActive(_ uid: UInt32) -> Bool { true }

    func observe(_ changed: @escaping @Sendable () -> Void) -> LoginObservation? { LoginObservation {} }
}

/// The same in every run: Knuth's linear congruential generator (MMIX).
struct FixedChance: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
