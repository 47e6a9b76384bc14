import Glibc
@_spi(Programs) import LocationInterface
import Logging
import ServiceKit
import ServiceServer
@_spi(Programs) import SystemSupport
import UnixSignals
import WebService

/// The entry point: flags, configuration, and then the pages until the program is asked to end or is idle.
@main
enum LocationdWeb {
    static func main() async {
        await ServiceProgram.run(WebFlags.self, version: Release.version) { flags, configuration, program in
            try flags.service.requireAccess(to: configuration.service.daemon, isNamedByFlag: flags.daemon != nil)
            let logger = program.logger
            program.logWarnings(configuration.warnings)
            let sockets = try InheritedSockets(
                names: program.environment.socketNames(), required: [],
                optional: ["http", "http-ipv6", "http-unix", "link", "control"], internet: ["http", "http-ipv6"])
            let passed = ["http", "http-ipv6", "http-unix"].compactMap { sockets[$0] }
            let endpoints =
                passed.map { ServiceSockets.Endpoint.inherited($0.descriptor) }
                + configuration.site.listen.map { .tcp(host: $0.host, port: $0.port) }
            guard !endpoints.isEmpty else {
                throw NothingToListenOn(
                    unit: "locationd-web.socket",
                    or: "give --listen 127.0.0.1:PORT, or listen in the configuration")
            }
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            let onDemand = configuration.site.listen.isEmpty
            let server = try await WebServer(
                endpoints, configuration.settings,
                files: try PageFolder.files(flags.pages, borders: configuration.map.borders),
                idleExit: onDemand ? configuration.service.idleExit : nil, logger: logger)
            let links = try await linkServers(
                sockets, server, administersByItself: OwnAdministration.needsNoToken(at: configuration.service.daemon),
                logger)
            logger.notice(
                "listening", metadata: ["port": "\(server.port ?? 0)", "version": "\(Release.version)"])
            try await ServiceParts({ await server.idle() }).run(until: signals, program.notifications) {
                // Others may read where this is printed: it opens in the browser of its user alone.
                guard !flags.listen.isEmpty else { return }
                let owner = await Self.owner(configuration.service.daemon)
                print(try await server.link(for: owner, opener: Self.browserUser))
                fflush(nil)
            }
            for link in links { await link.stop() }
            await server.stop()
            logger.info("ended")
        }
    }

    /// Who has started it, with an administrator's rights where that user has them.
    private static func owner(_ daemon: String) async -> WebSessions.Principal {
        let isControlSocket = OwnAdministration.isControlSocket(daemon)
        let token = isControlSocket ? nil : await OwnAdministration.token(beside: daemon)
        return WebSessions.Principal(
            uid: geteuid(), isAdministrator: isControlSocket || token != nil, name: UserTable.name(of: geteuid()),
            token: token)
    }

    /// Whose browser opens the link that is printed: root's is the person's who has become root.
    private static var browserUser: UInt32 { geteuid() == 0 ? SudoUser.uid ?? 0 : geteuid() }

    /// The sockets at which `locctl web` asks for links.
    private static func linkServers(
        _ sockets: InheritedSockets, _ server: WebServer, administersByItself: Bool, _ logger: Logger
    ) async throws -> [CallServer<LinkAnswerer>] {
        var servers: [CallServer<LinkAnswerer>] = []
        for (name, isForAdministrators) in [("link", false), ("control", true)] {
            guard let socket = sockets[name] else { continue }
            servers.append(
                try await CallServer(
                    socket: ListeningSocket(inherited: socket.descriptor), limits: CallLimits(),
                    answerer: LinkAnswerer(
                        server, isForAdministrators: isForAdministrators, administersByItself: administersByItself),
                    logger: logger))
        }
        return servers
    }
}
