import Authorization
import CLinux
import DaemonConfiguration
import Glibc
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import Polkit
import ServiceKit
import ServiceLifecycle
import Synchronization
@_spi(Programs) import SystemSupport
import UnixSignals

/// Assembles the daemon: state, sources, server and signals, started in this order and ended in the reverse order.
struct Daemon {
    private let setup: Setup
    private let configuration: Configuration
    private let policy: PolicyFile.Contents
    private let sockets: InheritedSockets
    private let supervision: Supervision
    private let tasks: TaskThreads
    /// The threads for tasks that may block on a disk or a directory service.
    private let waitingTasks: TaskThreads
    private let log: Log
    private let logger: Logger

    init(
        setup: Setup, configuration: Configuration, policy: PolicyFile.Contents, sockets: InheritedSockets,
        supervision: Supervision, tasks: TaskThreads, waitingTasks: TaskThreads
    ) {
        self.setup = setup
        self.sockets = sockets
        self.supervision = supervision
        self.tasks = tasks
        self.waitingTasks = waitingTasks
        self.policy = policy
        self.configuration = configuration
        log = Log(level: configuration.service.logLevel)
        logger = log.logger("locationd")
    }

    /// Runs the daemon; returns after SIGTERM or SIGINT, when every watch has been sent the reason.
    /// - Throws: why the daemon cannot start, in words.
    func run() async throws {
        // Before the daemon can be noticed, so that a signal during the start is handled, too.
        let endings = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let capacity = ConnectionCapacity.connections(
            descriptors: DescriptorLimit.raise(), memory: MemoryLimit.bytes())
        try Directory.prepare(
            setup.flags.stateDirectory, mode: 0o700, flag: "--state-directory", mayBeReadOnly: true)
        try Directory.checkOwner(setup.flags.stateDirectory)
        var settings = configuration.serverSettings(
            version: Locationd.version, capacity: capacity, policy: policy)
        settings.kernelReportsUnits = setup.kernelReportsUnits
        let listening = try DaemonSockets.open(
            sockets, directory: setup.flags.runtimeDirectory, group: settings.policy.group, nmea: configuration.nmea,
            logger: logger)
        let ownPaths = listening.ownPaths
        let lock: Int32
        do {
            lock = try Directory.lock(setup.flags.stateDirectory)
        } catch {
            for path in ownPaths { unlink(path) }
            throw error
        }
        defer { close(lock) }
        for name in sockets.surplus {
            logger.warning(
                "systemd passes an unknown socket",
                metadata: ["name": "\(name)", "advice": "correct FileDescriptorName= of its .socket unit"])
        }

        if settings.clientLimit < configuration.limits.clients {
            logger.warning(
                "there is room for fewer clients than the configuration allows",
                metadata: [
                    "clients": "\(settings.clientLimit)", "advice": "raise LimitNOFILE or MemoryMax, then restart",
                ])
        }
        // In a first try with --simulate nobody needs the group: the positions are no secret.
        if settings.policy.group == nil, setup.flags.source != .simulator {
            logger.warning(
                "the trusted group does not exist; only root and the daemon's own user may know the position",
                metadata: ["group": "\(settings.policy.groupName)", "advice": "groupadd --system, then restart"])
        }
        for path in Configuration.openPositions(path: setup.flags.configurationPath) {
            logger.warning(
                "every user can read the position of this machine from a source of the kind static",
                metadata: ["file": "\(path)", "advice": "chown root:locationd and chmod 640 that file"])
        }
        for rule in settings.policy.unitRules where !setup.kernelReportsUnits {
            logger.warning(
                "a rule about a unit has no effect, because this kernel does not report units (Linux 6.13 does)",
                metadata: ["rule": "\(rule.origin)"])
        }
        let directory = setup.flags.stateDirectory
        let store = StateStore(
            directory: directory, reducedGrid: configuration.privacy.reducedGrid, logger: logger)
        let monitors = MonitorStore(directory: directory, logger: logger)
        let decisions = DecisionStore(directory: directory, isSealed: true, logger: logger)
        let audit = AuditStore(
            directory: directory,
            limits: AuditLimits(days: configuration.privacy.historyDays, size: configuration.privacy.historySize),
            logger: logger)
        let reduction = store.reduction
        if reduction == nil {
            logger.error(
                "reduced accuracy is not available, because its secret cannot be persisted",
                metadata: ["advice": "make the state directory writable, then restart"])
        }
        let sources = configuration.makeSources(.system(supervision.heartbeats))
        let metrics = Metrics()
        let supervisor = SourceSupervisor(
            sources: sources, switchedOff: store.switchedOffSources, logger: logger, metrics: metrics.registry)
        let names = (sources.filter { !$0.isCompass }.map(\.name), compasses: sources.filter(\.isCompass).map(\.name))
        let lowPower = Set(sources.filter(\.isLowPower).map(\.name))
        let persisted = monitors.load()
        let metricsFile = MetricsFileWriter(configuration.metrics, logger: logger)
        let reloader = Reloader(
            setup: setup, configuration: configuration, policy: policy, supervisor: supervisor,
            supervision: supervision, decisions: decisions, audit: audit, metricsFile: metricsFile,
            threshold: log.threshold, capacity: capacity, logger: logger)
        let paths = listening.paths
        let environment = ServerEnvironment(
            state: PersistentState(store: store, monitors: monitors, decisions: decisions, audit: audit),
            sources: supervisor,
            operations: DaemonOperations(
                tasks: tasks, waitingTasks: waitingTasks, reloader: reloader, metrics: metrics,
                threshold: log.threshold, logger: logger, summary: supervision.summary,
                heartbeat: supervision.heartbeat(logger: logger)),
            gate: Polkit())
        let server = try await LocationServer(
            location: listening.location, control: listening.control, nmea: listening.nmea, settings: settings,
            decisions: decisions.load(), sessions: SystemdLogin(),
            hub: { [settings] in
                Hub(
                    settings: settings.hub, sources: names.0, compasses: names.compasses, lowPower: lowPower,
                    switchedOff: store.switchedOffSources, isEnabled: store.isEnabled,
                    sequenceStart: store.sequenceStart, lastLocation: store.lastLocation, reduction: reduction,
                    monitors: persisted, at: MachineClock.now)
            },
            environment: environment, logger: logger, metrics: metrics.registry)
        await reloader.connect(server)
        logger.log(
            .started,
            ["location": "\(paths.location)", "control": "\(paths.control)", "version": "\(Locationd.version)"])
        supervision.ready()
        // Most of the program is used at the start alone: relocations, metadata, the reading of the configuration.
        _ = Pause.after(5) { _ = clinux_unmap_program() }

        let services: [any Service] = [
            log, WaitingService(store, waitingTasks), WaitingService(decisions, waitingTasks),
            WaitingService(audit, waitingTasks), SourceService(supervisor: supervisor, server: server),
            ServerService(server: server, paths: ownPaths),
            ReloadService(reloader: reloader, signals: hangUps, logger: logger),
            WaitingService(metricsFile.writing { metrics.text(try await server.figures()) }, waitingTasks),
        ]
        let ending = EndingService(signals: endings, supervision: supervision, logger: logger)
        do {
            try await ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    // The service group logs each of its steps; only its errors matter to the administrator.
                    services: services.map { .init(service: $0) }
                        + [.init(service: ending, successTerminationBehavior: .gracefullyShutdownGroup)],
                    logger: log.logger("lifecycle", atLeast: .warning))
            ).run()
        } catch is CancellationError where ending.isRequested {
            // A service was cancelled because the daemon shuts down on a signal: no failure.
        }
        logger.log(.ended)
    }
}

/// A service that returns when the process is signalled to shut down, which ends all other services.
private final class EndingService: Service {
    private let signals: UnixSignalsSequence
    private let supervision: Supervision
    private let logger: Logger
    private let requested = Atomic(false)

    init(signals: UnixSignalsSequence, supervision: Supervision, logger: Logger) {
        self.signals = signals
        self.supervision = supervision
        self.logger = logger
    }

    var isRequested: Bool { requested.load(ordering: .acquiring) }

    func run() async {
        for await _ in signals {
            requested.store(true, ordering: .releasing)
            // Clients have five seconds to read the last reply and tasks five to finish, and systemd kills the process
            // after 15 (`TimeoutStopSec=`).
            EndingDeadline.start(
                12, logger: logger,
                message: "the daemon exits without having written all state, because the disk does not respond",
                advice: "check the disk of the state directory")
            return supervision.stopping()
        }
    }
}

/// Runs a service that blocks on a disk on the threads for that.
private struct WaitingService: Service {
    let service: any Service
    let threads: TaskThreads

    init(_ service: any Service, _ threads: TaskThreads) {
        self.service = service
        self.threads = threads
    }

    func run() async throws {
        try await withTaskExecutorPreference(threads) { try await service.run() }
    }
}

/// The server as a service: it listens already, and ends by sending every watch the reason.
private struct ServerService: Service {
    let server: LocationServer
    let paths: [String]

    func run() async throws {
        try? await gracefulShutdown()
        // First, because by the time the last client is gone, the paths may belong to another daemon.
        for path in paths { unlink(path) }
        try await server.stop(reason: "stopping")
    }
}
