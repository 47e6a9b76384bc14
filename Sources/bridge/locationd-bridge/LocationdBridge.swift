@_spi(Programs) import LocationInterface
import ServiceKit
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end or is idle.
@main
enum LocationdBridge {
    static func main() async {
        await ServiceProgram.run(BridgeFlags.self, version: Release.version) { flags, configuration, program in
            try flags.service.requireAccess(to: configuration.service.daemon, isNamedByFlag: flags.daemon != nil)
            let listeners = try BridgeListeners(configuration.gpsd, program.environment)
            guard !listeners.gpsd.isEmpty || configuration.geoClue.isEnabled else {
                throw NothingToListenOn(
                    unit: "locationd-bridge.socket",
                    or: "give --gpsd HOST:PORT, --gpsd-socket PATH or --geoclue, or listen, socket or enabled in "
                        + "the configuration")
            }
            program.logWarnings(configuration.warnings)
            let service = try await BridgeService(configuration, listeners, program.notifications, program.logger)
            try await service.run(until: UnixSignalsSequence(trapping: .sigterm, .sigint))
        }
    }
}
