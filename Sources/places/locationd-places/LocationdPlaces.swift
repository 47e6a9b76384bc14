import ArgumentParser
import Glibc
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
    static func main() async {
        await ServiceProgram.run(PlacesFlags.self, version: Release.version) { flags, configuration, program in
            var configuration = configuration
            if let level = flags.service.logLevel { configuration.service.logLevel = level }
            try await run(
                configuration, flags, program.environment, program.notifications,
                program.logger(configuration.service.logLevel))
        }
    }

    /// Serves until a signal arrives or, on systemd's socket, until no client has been connected for long enough.
    private static func run(
        _ configuration: PlacesConfiguration, _ flags: PlacesFlags, _ environment: ServiceEnvironment,
        _ notifications: NotificationSocket?, _ logger: Logger
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let inherited = try InheritedSockets(names: environment.socketNames(), required: ["places"])["places"]
        guard let path = flags.socketPath ?? inherited?.path else { throw NoSocket() }
        // With its own socket nothing would start the program again.
        let idleExit = flags.socketPath == nil ? configuration.service.idleExit : nil
        let server = try await CallServer(
            socket: try listeningSocket(flags.socketPath, inherited), limits: configuration.limits,
            idleExit: idleExit,
            answerer: PlacesAnswerer(providers: try Providers(configuration, logger: logger), clock: .machine),
            logger: logger)
        defer { if let own = flags.socketPath { unlink(own) } }
        logger.notice(
            "listening",
            metadata: [
                "socket": "\(path)", "version": "\(Release.version)",
                "online": "\(configuration.online?.provider.rawValue ?? "off")",
            ])
        notifications?.send(.ready, waits: true)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            group.addTask { await server.idle() }
            await group.next()
            group.cancelAll()
        }
        notifications?.send(.stopping, waits: true)
        await server.stop()
        logger.info("ended")
    }

    private static func listeningSocket(
        _ path: String?, _ inherited: InheritedSockets.Socket?
    ) throws -> ListeningSocket {
        if let path { return try ListeningSocket.bind(path: path, mode: 0o666, group: nil) }
        guard let inherited else { throw NoSocket() }
        return ListeningSocket(inherited: inherited.descriptor)
    }
}

private struct NoSocket: Error, CustomStringConvertible {
    let description = "systemd passes no socket; start locationd-places.socket instead, or name a path by --socket"
}
