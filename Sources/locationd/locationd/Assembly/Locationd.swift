import ArgumentParser
import Authorization
import DaemonConfiguration
import Glibc
@_spi(Programs) import LocationInterface
import ServiceKit
@_spi(Programs) import SystemSupport

/// The entry point: flags, configuration, and then the service until it is asked to end.
///
/// Exit codes: 0 ended as asked, 1 something failed, 2 wrong flags or configuration.
@main
enum Locationd {
    static let version = Release.version

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let environment = ServiceEnvironment.readAndClear()
        var supervision: Supervision?
        let flags: Flags
        do {
            flags = try Flags.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            guard let mistake = Flags.mistake(error) else { return print(Flags.fullMessage(for: error)) }
            terminate(2, mistake, supervision)
        }
        do {
            if flags.showsVersion { return print("locationd \(version)") }
            let supervising = try Supervision(environment)
            if !flags.checksConfiguration { supervision = supervising }
            let setup = Setup(flags: flags)
            let configuration = try setup.configuration()
            let policy = try setup.policy()
            if flags.checksConfiguration { return print("the configuration and the policy are valid") }
            let sockets = try InheritedSockets(
                names: environment.socketNames(), required: Array(DaemonSockets.names.prefix(2)),
                optional: Array(DaemonSockets.names.suffix(1)))
            guard let tasks = TaskThreads(), let waitingTasks = TaskThreads(named: "waiting-tasks") else {
                throw NoThread()
            }
            let daemon = Daemon(
                setup: setup, configuration: configuration, policy: policy, sockets: sockets, supervision: supervising,
                tasks: tasks, waitingTasks: waitingTasks)
            try await withTaskExecutorPreference(tasks) { try await daemon.run() }
        } catch let error as ConfigurationError {
            terminate(2, "\(error)", supervision)
        } catch {
            terminate(1, "\(error)", supervision)
        }
    }

    private static func terminate(_ code: Int32, _ reason: String, _ supervision: Supervision?) -> Never {
        LogOutput.standard.write(failure: reason)
        supervision?.failed(reason)
        exit(code)
    }
}

private struct NoThread: Error, CustomStringConvertible {
    let description = "the system allows no further thread; raise TasksMax"
}

/// The sources of the daemon's settings; read again at each reload.
struct Setup: Sendable {
    let flags: Flags
    /// Whether rules about units can apply on this kernel.
    let kernelReportsUnits = ControlGroupTree.kernelReportsUnits()

    func policy() throws(ConfigurationError) -> PolicyFile.Contents {
        try PolicyFile(path: flags.policyPath, beside: flags.configurationPath)
            .load(names: SystemNames(), kernelReportsUnits: kernelReportsUnits)
    }

    func configuration() throws(ConfigurationError) -> Configuration {
        var environment: [String: String] = [:]
        for name in ["LOCATIOND_GPSD", "LOCATIOND_LOG_LEVEL"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return try Configuration.load(path: flags.configurationPath, environment: environment).applying(flags)
    }
}
