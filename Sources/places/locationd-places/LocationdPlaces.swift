@_spi(Programs) import LocationInterface
import Logging
import Places
import ServiceKit
import ServiceServer
@_spi(Programs) import SystemSupport
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end or is idle.
@main
enum LocationdPlaces {
    /// Serves until a signal arrives or, on systemd's socket, until no client has been connected for long enough.
    static func main() async {
        await ServiceProgram.run(PlacesFlags.self, version: Release.version) { flags, configuration, program in
            let (logger, signals) = (program.logger, await UnixSignalsSequence(trapping: .sigterm, .sigint))
            let inherited = try InheritedSockets(names: program.environment.socketNames(), required: ["places"])
            guard let endpoint = ServiceEndpoint(flags.socketPath, or: inherited["places"]?.location) else {
                throw NoSocket(start: "locationd-places.socket instead")
            }
            let server = try await CallServer(
                socket: try endpoint.listen(mode: 0o666), limits: configuration.limits,
                // With its own socket nothing would start the program again.
                idleExit: endpoint.isOwn ? nil : configuration.service.idleExit,
                answerer: PlacesAnswerer(providers: try Providers(configuration, logger: logger), clock: .machine),
                logger: logger)
            defer { endpoint.remove() }
            logger.notice(
                "listening",
                metadata: [
                    "socket": "\(endpoint.path)", "version": "\(Release.version)",
                    "online": "\(configuration.online?.provider.rawValue ?? "off")",
                ])
            try await ServiceParts({ await server.idle() }).run(until: signals, program.notifications)
            await server.stop()
            logger.info("ended")
        }
    }
}
