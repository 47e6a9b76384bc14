import Configuration
import LocationInterface
import LocationServer
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again and applies what can change under connected clients. An invalid one changes nothing.
actor Reloader {
    private let setup: Setup
    private let supervisor: SourceSupervisor
    private let threshold: LineLogHandler.Threshold
    private let descriptorLimit: Int
    private let logger: Logger
    private var configuration: Configuration
    private var server: LocationServer?

    init(
        setup: Setup, configuration: Configuration, supervisor: SourceSupervisor,
        threshold: LineLogHandler.Threshold, descriptorLimit: Int, logger: Logger
    ) {
        self.setup = setup
        self.configuration = configuration
        self.supervisor = supervisor
        self.threshold = threshold
        self.descriptorLimit = descriptorLimit
        self.logger = logger
    }

    func connect(_ server: LocationServer) {
        self.server = server
    }

    /// - Throws: a `ConfigurationError` with file, line and key; everything stays as it was.
    func reload() async throws -> ReloadReport {
        let new = try setup.configuration()
        let differences = new.differences(from: configuration)
        let old = configuration
        configuration = new
        threshold.level = new.service.logLevel
        let settings = new.serverSettings(version: Locationd.version, descriptorLimit: descriptorLimit)
        try await server?.apply { running in
            running.hub = settings.hub
            running.clientLimit = settings.clientLimit
            running.clientLimitPerUser = settings.clientLimitPerUser
            running.requestLimit = settings.requestLimit
            running.stalledTimeout = settings.stalledTimeout
        }
        if new.sources != old.sources {
            supervisor.replace(with: new.makeSources())
        }
        logger.notice(
            "configuration read again",
            metadata: [
                "changed": "\(differences.reloadable.joined(separator: ","))",
                "needRestart": "\(differences.needingRestart.joined(separator: ","))",
            ])
        return ReloadReport(changed: differences.reloadable, needRestart: differences.needingRestart)
    }
}

/// SIGHUP reads the configuration again.
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
                    logger.error(
                        "the new configuration is invalid; the old one stays", metadata: ["reason": "\(error)"])
                }
            }
        }
    }
}
