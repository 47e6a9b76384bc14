import ArgumentParser
import Glibc
package import Logging

/// A configuration or command line that a program cannot serve with, apart from what its parsers find.
package protocol UsageError: Error {}

/// What the programs of small services have in common: the command line, the log, systemd, and how they end.
///
/// Exit codes: 0 ended as asked or idle, 1 something failed, 2 wrong flags or configuration.
package struct ServiceProgram: Sendable {
    package let name: String
    package let environment: ServiceEnvironment
    package private(set) var notifications: NotificationSocket?
    /// Logs from the configured level on.
    package private(set) var logger: Logger
    private let log = ServiceLogOutput()

    /// Runs the program until it ends as asked, and ends the process otherwise.
    ///
    /// - Parameters:
    ///   - version: the program's, for `--version`.
    ///   - body: serves with the configuration of file and flags; what it throws is said, and decides the exit code.
    package static func run<Flags: FileServiceFlags>(
        _ flags: Flags.Type, version: String,
        _ body: (Flags, Flags.Configuration, ServiceProgram) async throws -> Void
    ) async {
        signal(SIGPIPE, SIG_IGN)
        var program = ServiceProgram(
            name: flags.configuration.commandName ?? "the service", environment: ServiceEnvironment.readAndClear())
        let parsed: Flags
        do {
            parsed = try flags.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            guard let mistake = flags.mistake(error) else { return print(flags.fullMessage(for: error)) }
            program.terminate(2, mistake)
        }
        if parsed.showsVersion { return print("\(program.name) \(version)") }
        do {
            program.notifications = try program.environment.notificationAddress.map { address throws(SystemdError) in
                try NotificationSocket(address)
            }
            var configuration =
                parsed.needsConfiguration || parsed.service.checksConfiguration
                ? try Flags.Configuration.load(path: parsed.service.configurationPath) : Flags.Configuration()
            if parsed.service.checksConfiguration {
                print("the configuration is valid")
                return configuration.warnings.forEach { print("warning: \($0)") }
            }
            configuration.apply(parsed)
            program.logger = program.log.logger(configuration.service.logLevel, of: program.name)
            try await body(parsed, configuration, program)
        } catch {
            program.terminate(error is ConfigurationError || error is any UsageError ? 2 : 1, "\(error)")
        }
    }

    private init(name: String, environment: ServiceEnvironment) {
        (self.name, self.environment) = (name, environment)
        logger = log.logger(.info, of: name)
    }

    /// Logs what a configuration warns of, if a service manager has started the program.
    package func logWarnings(_ warnings: [String]) {
        guard environment.isBelowServiceManager else { return }
        for warning in warnings { logger.warning("\(warning)") }
    }

    private func terminate(_ code: Int32, _ reason: String) -> Never {
        log.write(.critical, "\(name): \(reason)")
        notifications?.send(.status(reason), waits: true)
        exit(code)
    }
}
