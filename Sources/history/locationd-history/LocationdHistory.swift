import Glibc
@_spi(Programs) import LocationInterface
import ServiceKit
@_spi(Programs) import SystemSupport
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end.
@main
enum LocationdHistory {
    static func main() async {
        await ServiceProgram.run(HistoryFlags.self, version: Release.version) { flags, configuration, program in
            // Where the machine is, and has been, is nobody else's business.
            umask(0o077)
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            if flags.readOnly, let socketPath = flags.socketPath {
                // Whoever has made the file may have made it to be read without end.
                _ = OutputReader.exitWithoutReader()
                return try await TrackReading(at: configuration.track.file)
                    .serve(socketPath, until: signals, program.logger)
            }
            try flags.service.requireAccess(to: configuration.service.daemon, isNamedByFlag: flags.daemon != nil)
            let service = try HistoryService(
                configuration, socketPath: flags.socketPath ?? runtimeSocket, program.notifications,
                program.logger)
            try await service.run(until: signals)
        }
    }

    /// The socket in the directory that systemd has made for the service.
    private static var runtimeSocket: String? {
        getenv("RUNTIME_DIRECTORY").map { "\(String(cString: $0))/history.sock" }
    }
}
