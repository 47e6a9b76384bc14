import ArgumentParser
import LocationInterface
import LocationKit
import Varlink

/// What a person wants to know first: where, how good, how old, why not.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Where the machine is, how well that is known, or why not.",
        discussion: """
            While nobody asks for the position, receivers are off and their state is unknown; if no location is known \
            at all, this command asks for one itself, for a few seconds.
            """)

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "Only tell what is known already; start no receiver.")
    var passive = false

    private struct Report: Encodable {
        let status: ServiceStatus
        let location: Aged<Location>?
    }

    func run() throws {
        var standing = try Standing(over: try options.connect())
        if !passive, standing.wantsProbe { try probe(&standing) }
        if options.json {
            try Output.writeJSON(Report(status: standing.status, location: standing.location))
        } else {
            for line in StatusText.lines(standing) { Output.write(line) }
        }
        guard standing.location == nil else { return }
        let mayKnow = PermissionText.headline(standing) == nil
        throw Failure(code: mayKnow ? ExitCodes.noLocation : ExitCodes.notAuthorized, message: nil)
    }

    /// Asks for locations for a few seconds, to learn what stands in their way.
    private func probe(_ standing: inout Standing) throws {
        let connection = try options.connect()
        try connection.send(LocationInterface.Method.watch, WatchRequest(), more: true)
        var patience = 3.0
        while let reply = try connection.nextReply(seconds: patience) {
            let update = try reply.answer(as: WatchReply.self)
            standing.location = update.location
            if update.location != nil { return }
            if let new = update.status { standing.status = new }
            if standing.status.isHopeless { break }
            // A searching receiver may take minutes: what is known by then is told. The next source in rank is started
            // after 5 s, if nobody has configured more.
            patience = standing.status.hasReserve ? 6.5 : standing.status.source == .searching ? 1.5 : 3
        }
    }
}

extension Standing {
    /// True where nothing is known because nobody has asked for locations.
    fileprivate var wantsProbe: Bool {
        location == nil && status.source == .stopped && status.enabled && status.mayKnow && !isSuspended
    }
}
