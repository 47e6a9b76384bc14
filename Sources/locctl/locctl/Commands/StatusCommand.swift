import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Varlink

/// `locctl status`: shows the position, its accuracy and age, or why there is none.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the position of the machine and its accuracy, or why there is none.",
        discussion: """
            While no program requests locations, receivers are off and their state is unknown; if no location is known \
            at all, this command requests locations itself for a few seconds.
            """)

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "Start no receiver; show only what is known already.")
    var passive = false

    private struct Report: Encodable {
        let status: ServiceStatus
        let location: Aged<Location>?
        /// For administrators: how many requests for authorization wait.
        let waitingRequests: Int?
    }

    func run() throws {
        var callerStatus = try CallerStatus(over: try options.connect())
        if !passive, callerStatus.wantsProbe { try probe(&callerStatus) }
        let waiting = WaitingRequests.count(over: options)
        if options.json {
            try Output.writeJSON(
                Report(status: callerStatus.status, location: callerStatus.location, waitingRequests: waiting))
        } else {
            for line in StatusText.lines(callerStatus) { Output.write(line) }
            if let off = DesktopSwitch.off { Output.write("  desktop     \(off.finding); \(off.advice)") }
            if let line = WaitingRequests.line(waiting) { Output.write("  requests    \(line)") }
        }
        guard callerStatus.location == nil else { return }
        let mayKnow = PermissionText.headline(callerStatus) == nil
        throw Failure(code: mayKnow ? ExitCodes.noLocation : ExitCodes.notAuthorized, message: nil)
    }

    /// Requests locations for a few seconds, to find out why there is none.
    private func probe(_ callerStatus: inout CallerStatus) throws {
        let connection = try options.connect()
        try connection.send(LocationInterface.Method.watch, WatchRequest(), more: true)
        var patience = 3.0
        while let reply = try connection.nextReply(seconds: patience) {
            let update = try reply.answer(as: WatchReply.self)
            callerStatus.location = update.location
            if update.location != nil { return }
            if let new = update.status { callerStatus.status = new }
            if callerStatus.status.isHopeless { break }
            // A searching receiver may take minutes: its state is shown instead. The next source in rank is started
            // after 5 s, unless a longer time is configured.
            patience = callerStatus.status.hasReserve ? 6.5 : callerStatus.status.source == .searching ? 1.5 : 3
        }
    }
}

extension CallerStatus {
    /// True if no location is known only because none was requested.
    fileprivate var wantsProbe: Bool {
        location == nil && status.source == .stopped && status.enabled && status.mayKnow && !isSuspended
    }
}
