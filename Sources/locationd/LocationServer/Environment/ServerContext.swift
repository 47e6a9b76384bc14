@_spi(Programs) import LocationModel
import Logging
import ServiceServer
@_spi(Programs) import SystemSupport

/// What every part of the server is given, by one reference: its loop, its clock, its log, and the program around it.
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

    init(
        loop: ServiceLoop, environment: ServerEnvironment, clock: ServiceClock, logger: Logger,
        instruments: ServerInstruments
    ) {
        self.loop = loop
        self.environment = environment
        self.clock = clock
        self.logger = logger
        self.instruments = instruments
        tasks = BackgroundTasks(on: loop)
        errors = InternalErrors(logger: logger)
        started = clock.now()
    }

    var now: BootInstant { clock.now() }
    var utc: UTCTime { clock.utc() }
}
