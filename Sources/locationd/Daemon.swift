import Authorization
import Configuration
import Glibc
import LocationHub
import LocationInterface
import LocationModel
import LocationServer
import Logging
import Machine
import ServiceLifecycle
import UnixSignals

/// The assembly: state, sources, server, signals; started in this order and ended in the opposite one.
struct Daemon {
    private let setup: Setup
    private let configuration: Configuration
    private let policy: PolicyFile.Contents
    private let log: Log
    private let logger: Logger

    init(setup: Setup, configuration: Configuration, policy: PolicyFile.Contents) {
        self.setup = setup
        self.policy = policy
        self.configuration = configuration
        log = Log(level: configuration.service.logLevel)
        logger = log.logger("locationd")
    }

    /// Returns after SIGTERM or SIGINT, when every watch has been told.
    /// - Throws: why the daemon cannot start, in words.
    func run() async throws {
        // Before anybody can know that the daemon is there: a signal that comes while it starts is heeded too.
        let endings = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let descriptors = DescriptorLimit.raise()
        let runtime = setup.flags.runtimeDirectory
        try Directory.prepare(runtime, mode: 0o755, flag: "--runtime-directory")
        try Directory.prepare(setup.flags.stateDirectory, mode: 0o700, flag: "--state-directory")
        try Directory.checkOwner(setup.flags.stateDirectory)
        var settings = configuration.serverSettings(
            version: Locationd.version, descriptorLimit: descriptors, rules: policy.rules)
        settings.unitsAreTold = setup.unitsAreTold
        var paths = [SocketName.location, SocketName.control].map { "\(runtime)/\($0)" }
        let location = try ListeningSocket.bind(path: paths[0], mode: 0o666, group: nil)
        let control = try ListeningSocket.bind(path: paths[1], mode: 0o660, group: settings.policy.group)
        let nmea = try NMEASocket.bind(in: runtime, configuration.nmea, logger: logger)
        if configuration.nmea.enabled { paths.append("\(runtime)/\(SocketName.nmea)") }
        let lock: Int32
        do {
            lock = try Directory.lock(setup.flags.stateDirectory)
        } catch {
            for path in paths { unlink(path) }
            throw error
        }
        defer { close(lock) }

        if settings.policy.group == nil {
            logger.warning(
                "the trusted group does not exist; only root and the daemon's own user may know the position",
                metadata: ["group": "\(settings.policy.groupName)", "advice": "groupadd --system, then restart"])
        }
        for rule in settings.policy.unitRules where !setup.unitsAreTold {
            logger.warning(
                "a rule about a unit never holds, because this kernel does not tell units (Linux 6.13 does)",
                metadata: ["rule": "\(rule.origin)"])
        }
        let directory = setup.flags.stateDirectory
        let store = StateStore(directory: directory, logger: logger)
        let decisions = DecisionStore(directory: directory, logger: logger)
        let history = HistoryStore(
            directory: directory,
            limits: HistoryLimits(days: configuration.privacy.historyDays, size: configuration.privacy.historySize),
            logger: logger)
        let reduction = store.reduction(size: configuration.privacy.reducedGrid)
        if reduction == nil {
            logger.error(
                "reduced accuracy cannot be given, because its secret cannot be kept",
                metadata: ["advice": "make the state directory writable, then restart"])
        }
        let sources = configuration.makeSources()
        let metrics = Metrics()
        let supervisor = SourceSupervisor(sources: sources, logger: logger, metrics: metrics.registry)
        let hub = Hub(
            settings: settings.hub, sources: sources.map(\.name), isEnabled: store.isEnabled,
            sequenceStart: store.sequenceStart, lastLocation: store.lastLocation, reduction: reduction,
            at: MachineClock.now)
        let metricsFile = MetricsFileWriter(configuration.metrics, logger: logger)
        let reloader = Reloader(
            setup: setup, configuration: configuration, policy: policy, supervisor: supervisor,
            decisions: decisions, history: history, metricsFile: metricsFile, threshold: log.threshold,
            descriptorLimit: descriptors, logger: logger)
        var hooks = hooks(store, decisions, history, supervisor, reloader)
        hooks.metrics = { metrics.text($0) }
        let server = try await LocationServer(
            location: location, control: control, nmea: nmea, settings: settings, decisions: decisions.load(),
            sessions: SystemdLogin(), hub: hub, hooks: hooks, logger: logger, metrics: metrics.registry)
        await reloader.connect(server)
        logger.log(
            .started, ["location": "\(paths[0])", "control": "\(paths[1])", "version": "\(Locationd.version)"])

        let services: [any Service] = [
            log, store, decisions, history, SourceService(supervisor: supervisor, server: server),
            ServerService(server: server, paths: paths),
            ReloadService(reloader: reloader, signals: hangUps, logger: logger),
            metricsFile.writing { metrics.text(try await server.figures()) },
        ]
        let ending = ServiceGroupConfiguration.ServiceConfiguration(
            service: EndingService(signals: endings), successTerminationBehavior: .gracefullyShutdownGroup)
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                // The service group tells every step of its own; only its complaints are for the administrator.
                services: services.map { .init(service: $0) } + [ending],
                logger: log.logger("lifecycle", atLeast: .warning))
        ).run()
        logger.log(.ended)
    }

    private func hooks(
        _ store: StateStore, _ decisions: DecisionStore, _ history: HistoryStore, _ supervisor: SourceSupervisor,
        _ reloader: Reloader
    ) -> ServerHooks {
        let (threshold, logger) = (log.threshold, logger)
        var hooks = ServerHooks()
        hooks.demand = { supervisor.demand($0) }
        hooks.reserveSequences = { store.reserveSequences(upTo: $0) }
        hooks.keepLocation = { store.keep($0) }
        hooks.keepEnabled = { try await store.keep(enabled: $0) }
        hooks.keepReduction = { store.keep($0) }
        hooks.keepDecisions = { try await decisions.keep($0) }
        hooks.rememberDecisions = { decisions.remember($0) }
        hooks.uid = { name in await Self.uid(of: name) }
        hooks.note = { history.note($0) }
        hooks.history = { try await history.records($0) }
        hooks.todaysHistory = { history.todaysRecords() }
        hooks.reload = { try await reloader.reload() }
        hooks.sources = { supervisor.reports }
        hooks.setLogLevel = { name, administrator in
            guard let level = Logger.Level(rawValue: name) else { throw UnknownLevel() }
            // Told at whichever level lets more through: who finds the log silent learns since when and why.
            threshold.level = min(level, threshold.level)
            logger.log(.logLevelSet, ["level": "\(level)", "by": "\(administrator)"])
            threshold.level = level
        }
        return hooks
    }

    /// Directory services may be slow to answer, so never on the event loop.
    @concurrent
    private static func uid(of name: String) async -> UInt32? {
        try? SystemNames().uid(ofUser: name) ?? nil
    }
}

private struct UnknownLevel: Error, CustomStringConvertible {
    let description = "trace, debug, info, notice, warning, error or critical"
}

/// Returns, and thereby ends every other service, when the process is asked to end.
private struct EndingService: Service {
    let signals: UnixSignalsSequence

    func run() async {
        for await _ in signals { return }
    }
}

/// The server as a service: it listens already, and ends by telling every watch.
private struct ServerService: Service {
    let server: LocationServer
    let paths: [String]

    func run() async throws {
        try? await gracefulShutdown()
        // First of all: by the time the last client is gone, the paths may be another daemon's.
        for path in paths { unlink(path) }
        try await server.stop(reason: "stopping")
    }
}
