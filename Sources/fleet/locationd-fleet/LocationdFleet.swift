import CLinux
import Delivery
import Glibc
@_spi(Programs) import LocationInterface
import ServiceKit
import ServiceServer
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end.
@main
enum LocationdFleet {
    static func main() async {
        await ServiceProgram.run(FleetFlags.self, version: Release.version) { flags, configuration, program in
            let credentials = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
            if flags.listsDevices {
                let settings = try configuration.listSettings(credentials: credentials)
                return try await DeviceList(settings, filter: flags.topic ?? "owntracks/+/+").run()
            }
            // A token, and the address of a webhook, are nobody else's business.
            clinux_forbid_core_file()
            let device = try configuration.device()
            let settings = try configuration.brokerSettings(for: device, credentials: credentials)
            let inherited = try InheritedSockets(
                names: program.environment.socketNames(), required: [], optional: ["control"])
            let outbox = try MessageOutbox(
                path: configuration.outbox.path, limit: configuration.outbox.sizeLimit << 20)
            let service = FleetService(
                configuration, device, settings, outbox, program.notifications, program.logger)
            try await service.run(
                at: ServiceEndpoint(flags.controlPath, or: inherited["control"]?.location), credentials: credentials,
                until: UnixSignalsSequence(trapping: .sigterm, .sigint))
        }
    }
}
