import CommandLineFlags
import Glibc
import LocationInterface
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end.
@main
enum LocationdHistory {
    static func main() async {
        await ServiceProgram.run(HistoryFlags.self, version: Release.version) { flags, configuration, program in
            var configuration = configuration
            configuration.apply(flags)
            // Where the machine is, and has been, is nobody else's business.
            umask(0o077)
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            let service = try HistoryService(
                configuration, program.notifications, program.logger(configuration.service.logLevel))
            try await service.run(until: signals)
        }
    }
}
