import Authorization
import DaemonConfiguration
@_spi(Programs) import LocationInterface
import LocationServer
import Logging
import ServiceKit
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again and applies what can change while clients are connected. An invalid one changes
/// nothing.
actor Reloader {
    private let setup: Setup
    private let supervisor: SourceSupervisor
    private let supervision: Supervision
    private let decisions: DecisionStore
    private let audit: AuditStore
    private let metricsFile: MetricsFileWriter
    private let threshold: LogThreshold
    private let capacity: Int
    private let logger: Logger
    private let startedWith: Configuration
    private var configuration: Configuration
    private var policy: PolicyFile.Contents
    private var server: LocationServer?

    init(
        setup: Setup, configuration: Configuration, policy: PolicyFile.Contents, supervisor: SourceSupervisor,
        supervision: Supervision, decisions: DecisionStore, audit: AuditStore, metricsFile: MetricsFileWriter,
        threshold: LogThreshold, capacity: Int, logger: Logger
    ) {
        self.setup = setup
        self.policy = policy
        self.decisions = decisions
        self.audit = audit
        self.metricsFile = metricsFile
        startedWith = configuration
        self.configuration = configuration
        self.supervisor = supervisor
        self.supervision = supervision
        self.threshold = threshold
        self.capacity = capacity
        self.logger = logger
    }

    func connect(_ server: LocationServer) {
        self.server = server
    }

    /// - Throws: a `ConfigurationError` with file, line and key; nothing has changed then.
    func reload() async throws -> ReloadReport {
        supervision.reloading()
        defer { supervision.ready() }
        let new = try setup.configuration()
        let newPolicy = try setup.policy()
        let waiting = new.differences(from: startedWith).needingRestart
        let wereReadable = decisions.isReadable
        let restored = wereReadable ? nil : decisions.load()
        let changed =
            new.differences(from: configuration).reloadable + (newPolicy.isEquivalent(to: policy) ? [] : ["policy"])
            + (wereReadable == decisions.isReadable ? [] : ["decisions"])
        let old = configuration
        configuration = new
        policy = newPolicy
        threshold.level = new.service.logLevel
        let settings = new.serverSettings(
            version: Locationd.version, capacity: capacity, policy: newPolicy)
        audit.apply(days: new.privacy.historyDays, size: new.privacy.historySize)
        metricsFile.apply(new.metrics)
        try await server?.apply { $0.reload(settings) }
        if let restored { try await server?.replaceDecisions(restored) }
        if new.sources != old.sources {
            supervisor.replace(with: new.makeSources(.system(supervision.heartbeats)))
        }
        let news = ["changed": changed, "needRestart": waiting].filter { !$1.isEmpty }
        logger.log(.configurationRead, news.mapValues { "\($0.joined(separator: ","))" })
        return ReloadReport(changed: changed, needRestart: waiting)
    }
}

/// Reloads the configuration on SIGHUP.
struct ReloadService: Service {
    let reloader: Reloader
    let signals: UnixSignalsSequence
    let logger: Logger

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals {
                do {
                    _ = try await reloader.reload()
                } catch {
                    logger.log(.configurationRefused, ["reason": "\(error)"])
                }
            }
        }
    }
}
