@_spi(Programs) import LocationInterface
import ServiceKit
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end or is idle.
@main
enum LocationdBridge {
    static func main() async {
        await ServiceProgram.run(BridgeFlags.self, version: Release.version) { flags, configuration, program in
            var configuration = configuration
            configuration.apply(flags)
            try DaemonSocket.requireAccess(
                to: configuration.service.daemon, flag: flags.daemon.map { _ in "--daemon" },
                file: flags.service.configurationPath ?? BridgeConfiguration.defaultPath)
            let listeners = try BridgeListeners(configuration.gpsd, program.environment)
            guard !listeners.gpsd.isEmpty || configuration.geoClue.isEnabled else { throw NothingToListenOn() }
            let logger = program.logger(configuration.service.logLevel)
            program.logWarnings(configuration.warnings, by: logger)
            let service = try await BridgeService(configuration, listeners, program.notifications, logger)
            try await service.run(until: UnixSignalsSequence(trapping: .sigterm, .sigint))
        }
    }
}
