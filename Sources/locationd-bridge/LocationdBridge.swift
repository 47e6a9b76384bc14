import CommandLineFlags
import LocationInterface
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end or is idle.
@main
enum LocationdBridge {
    static func main() async {
        await ServiceProgram.run(BridgeFlags.self, version: Release.version) { flags, program in
            var configuration = try BridgeConfiguration.load(path: flags.configurationPath)
            if flags.checksConfiguration { return print("the configuration is valid") }
            configuration.apply(flags)
            let listeners = try BridgeListeners(configuration.gpsd, program.environment)
            guard !listeners.gpsd.isEmpty || configuration.geoClue.isEnabled else { throw NothingToListenOn() }
            let service = try await BridgeService(
                configuration, listeners, program.notifications, program.logger(configuration.service.logLevel))
            try await service.run(until: UnixSignalsSequence(trapping: .sigterm, .sigint))
        }
    }
}
