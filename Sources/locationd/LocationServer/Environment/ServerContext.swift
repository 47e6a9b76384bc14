@_spi(Programs) import LocationModel
import Logging
import ServiceServer
@_spi(Programs) import SystemSupport

/// What every part of the server is given, by one reference: its loop, its clock, its log, its settings, and the
/// program around it.
final class ServerContext {
    let loop: ServiceLoop
    let environment: ServerEnvironment
    let clock: ServiceClock
    let logger: Logger
    let instruments: ServerInstruments
    /// The work off the event loop.
    let tasks: BackgroundTasks
    let errors: InternalErrors
    let started: BootInstant
    /// Changed by ``ServerDispatcher/apply(_:)`` alone.
    var settings: ServerSettings
    /// Whether ``ServerDispatcher/finish(reason:within:)`` has been called.
    var isFinishing = false

    init(
        loop: ServiceLoop, environment: ServerEnvironment, clock: ServiceClock, logger: Logger,
        instruments: ServerInstruments, settings: ServerSettings
    ) {
        self.loop = loop
        self.environment = environment
        self.clock = clock
        self.logger = logger
        self.instruments = instruments
        self.settings = settings
        tasks = BackgroundTasks(on: loop)
        errors = InternalErrors(logger: logger)
        started = clock.now()
    }

    var now: BootInstant { clock.now() }
    var utc: UTCTime { clock.utc() }

    /// Answers when the work, which may block on a disk, is done.
    func reply(
        to client: ServerClient, _ answer: some Encodable, after work: @escaping @Sendable () async throws -> Void
    ) {
        tasks.run(on: environment.operations.waitingTasks, work) { result in
            switch result {
            case .success: client.connection.reply(answer)
            case .failure(let error): client.connection.fail(.failed("\(error)"))
            }
        }
    }
}

/// What the services share, because it belongs to no single one of them.
struct SharedParts {
    let context: ServerContext
    let connections: Connections
    /// Who may administer.
    let gate: CallGate
    /// The audit.
    let audit: AuditRecorder
    /// The summary for systemd.
    let reporter: SummaryReporter
}

/// A service, which has what is shared by short names.
protocol ServiceCalls: AnyObject {
    var parts: SharedParts { get }
}

extension ServiceCalls {
    var context: ServerContext { parts.context }
    var connections: Connections { parts.connections }
    var gate: CallGate { parts.gate }
    var audit: AuditRecorder { parts.audit }
    var reporter: SummaryReporter { parts.reporter }
    var settings: ServerSettings {
        _read { yield parts.context.settings }
    }
    var environment: ServerEnvironment { context.environment }
    var logger: Logger { context.logger }
    var loop: ServiceLoop { context.loop }
    var now: BootInstant { context.now }
    var utc: UTCTime { context.utc }
}
