import AccessPoints
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceKit
import ServiceServer
@_spi(Programs) import SystemSupport
import UnixSignals

/// The service: what is received goes in, positions go to the daemon, and good locations of the daemon teach.
struct NearbyService {
    /// Seconds between two status lines, and between two attempts to write what waits.
    private static let interval = 5.0
    /// Seconds between two looks at what is too old.
    private static let pruning = 3600.0
    /// Seconds from the request to end, in which the disk may respond: systemd kills the process after five
    /// (`TimeoutStopSec=`).
    private static let endingTime: UInt32 = 4

    private let configuration: NearbyConfiguration
    private let store: NearbyStore
    private let memory: PlaceMemory
    /// `nil` if nobody on the network is asked.
    private let online: OnlineLocator?
    /// `nil` for the machine's radios.
    private let observations: ObservationFile?
    private let sockets: NearbySockets
    private let notifications: NotificationSocket?
    private let logger: Logger

    /// - Throws: why the key or the file of places cannot be used, or that libcurl is missing, where it is needed.
    init(
        _ configuration: NearbyConfiguration, observations: String?, sockets: NearbySockets,
        _ notifications: NotificationSocket?, _ logger: Logger
    ) throws {
        (self.configuration, self.sockets) = (configuration, sockets)
        (self.notifications, self.logger) = (notifications, logger)
        self.observations = observations.map { ObservationFile(path: $0, logger: logger) }
        store = try NearbyStore(at: configuration.store.file, key: AddressKey.load(from: configuration.store.key))
        memory = try PlaceMemory(store, logger: logger)
        online = try OnlineLocator(configuration.online, memory, clock: .machine, logger: logger)
    }

    /// Learns and answers until there is a signal.
    func run(until signals: UnixSignalsSequence) async throws {
        let positions = try await CallServer(
            socket: sockets.provider.listen(), limits: CallLimits(),
            answerer: ProviderAnswerer(memory: memory, clock: .machine), logger: logger)
        let administration = try await administer(at: sockets.control)
        let pages = try await administer(at: sockets.link, only: [NearbyInterface.Method.learn])
        let count = try store.summary().count
        logger.notice(
            "knows places",
            metadata: [
                "accessPoints": "\(count)", "file": "\(store.path)", "socket": "\(sockets.provider.path)",
                "online": "\(configuration.online.url ?? "off")", "version": "\(Release.version)",
            ])
        let parts = ServiceParts(observe, learn, report, prune, writeMetrics, online?.run)
        try await parts.run(
            until: signals, notifications,
            whenEnding: {
                EndingDeadline.start(
                    Self.endingTime, logger: logger,
                    message: "the program ends without having remembered all places, because the disk does not respond",
                    advice: "check the disk of \(store.path)")
            })
        await positions.stop()
        await administration?.stop()
        await pages?.stop()
        sockets.remove()
        await memory.write()
        logger.info("ended")
    }

    private func administer(
        at endpoint: ServiceEndpoint?, only methods: Set<String>? = nil
    ) async throws -> CallServer<NearbyAnswerer>? {
        guard let socket = try endpoint?.listen() else { return nil }
        return try await CallServer(
            socket: socket, limits: CallLimits(),
            answerer: NearbyAnswerer(
                methods: methods, store: store, memory: memory, online: online, clock: .machine), logger: logger)
    }

    private func observe() async {
        // Of what comes faster than it can be looked up the newest counts.
        let (stream, continuation) = AsyncStream.makeStream(
            of: AccessPointObservation.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { group in
            if let observations {
                group.addTask { await observations.read { continuation.yield($0) } }
            } else {
                let radios = RadioObserver(memory: memory, logger: logger)
                let (obstacles, obstruct) = AsyncStream.makeStream(
                    of: String?.self, bufferingPolicy: .bufferingNewest(1))
                group.addTask {
                    await radios.read {
                        continuation.yield($0)
                    } obstructed: {
                        obstruct.yield($0)
                    }
                }
                group.addTask { for await obstacle in obstacles { await memory.setObstacle(obstacle) } }
                group.addTask { await radios.scanWhileWanted() }
            }
            group.addTask { for await observation in stream { await memory.observe(observation) } }
        }
    }

    /// Takes the locations that other programs need, and starts no receiver.
    private func learn() async {
        let locations = DaemonLocations.inputs(
            at: configuration.service.daemon, isPassive: true, purpose: "learns places by their access points")
        for await input in locations {
            switch input {
            case .location(let location): await memory.receive(location)
            case .outage(let reason): logger.warning("nothing is learned", metadata: ["reason": "\(reason)"])
            case .allowed: break
            }
        }
    }

    private func report() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.interval))
            await memory.write()
            let state = await memory.state
            notifications?.send(.status(state.text, isDegraded: state.isDegraded), waits: false)
        }
    }

    private func writeMetrics() async {
        await MetricsFileWriter(configuration.metrics, logger: logger).write {
            let remembered = try? store.summary().count
            return PrometheusText.text(await memory.figures.families(remembered: remembered))
        }
    }

    private func prune() async {
        while !Task.isCancelled {
            let today = Days.number(of: MachineClock.utc)
            do throws(NearbyStoreError) {
                let count = try await store.prune(
                    before: today - configuration.store.maximumAge, maximumCount: configuration.store.maximumCount)
                if count > 0 { logger.info("old places are forgotten", metadata: ["accessPoints": "\(count)"]) }
            } catch {
                logger.error("old places cannot be forgotten", metadata: ["reason": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(Self.pruning))
        }
    }
}
