import Agent
import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

/// The entry point: serves the session until it ends.
@main
struct LocationdAgent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationd-agent",
        abstract: "Asks the person at the screen which programs may know the position of this machine.",
        discussion: """
            It shows requests for authorization of your own programs as notifications, and brings the answers to locationd; polkit \
            may ask you to authenticate. It is started with the desktop, once for each session.
            """,
        version: "locationd-agent \(Release.version)")

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Show a notification, too, when a program of yours gets the position for the first time on a day.")
    var showUse = false

    @Flag(help: "Show one notification with the programs of yours that use the position, and end.")
    var usage = false

    func run() throws {
        guard let waker = Waker() else { throw Failure("no descriptor is left") }
        Self.wakeOnSignal(waker)
        let environment = Self.environment
        let language = Language(of: environment)
        let bus = try Self.busAddress(environment)
        guard !usage else {
            let notice = UsageNotice(daemon: socket ?? SocketPath.location, bus: bus, language: language)
            if let reason = notice.show(until: waker) { throw Failure(reason) }
            return
        }
        let agent = DesktopAgent(
            daemon: socket ?? SocketPath.location, bus: bus, language: language,
            applications: ApplicationNames(of: environment, language), showsUse: showUse)
        switch agent.run(until: waker) {
        case .woken: return
        case .alreadyRunning:
            print("another locationd-agent serves this session")
            return
        case .noBus(let reason): throw Failure("the session's bus cannot be used: \(reason)")
        case .noResources: throw Failure("the system has no descriptor or thread left")
        }
    }

    /// The variables that matter.
    private static var environment: [String: String] {
        let names = [
            "LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME",
            "XDG_DATA_HOME", "XDG_DATA_DIRS",
        ]
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } })
    }

    private static func busAddress(_ environment: [String: String]) throws -> String {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        if let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty { return "unix:path=\(folder)/bus" }
        throw Failure("there is no session's bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
    }

    /// SIGTERM and SIGINT end it; a thread waits for them.
    private static func wakeOnSignal(_ waker: Waker) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        _ = DetachedThread.start(named: "signals") {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGTERM)
            sigaddset(&signals, SIGINT)
            var number: Int32 = 0
            sigwait(&signals, &number)
            waker.wake()
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
