import CLinux
import CSeccomp
import Glibc
@_spi(Programs) import LocationInterface
import Logging
import ServiceKit
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end.
@main
enum LocationdNearby {
    static func main() async {
        await ServiceProgram.run(NearbyFlags.self, version: Release.version) { flags, configuration, program in
            // Where the machine has been is nobody else's business.
            umask(0o077)
            // Neither are the access points that it receives, which its file names by their hashes alone.
            clinux_forbid_core_file()
            // The capability to scan is one to configure the network, too.
            if cseccomp_limit_to_generic_netlink() != 0 {
                program.logger.warning(
                    "system calls are not filtered", metadata: ["reason": "\(String(cString: strerror(errno)))"])
            }
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            try flags.service.requireAccess(to: configuration.service.daemon, isNamedByFlag: flags.daemon != nil)
            let service = try NearbyService(
                configuration, observations: flags.observations,
                sockets: NearbySockets(flags, program.environment), program.notifications, program.logger)
            try await service.run(until: signals)
        }
    }
}
