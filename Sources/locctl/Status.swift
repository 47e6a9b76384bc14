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
        let connection = try options.connect()
        var status = try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self).status
        var location = try lastLocation(over: connection, status)
        if !passive, status.source == .stopped, status.enabled, location == nil, status.mayKnow {
            (status, location) = try probe(status)
        }
        if options.json {
            try Output.writeJSON(Report(status: status, location: location))
        } else {
            for line in StatusText.lines(status, location) { Output.write(line) }
        }
        if location == nil, let code = status.exitCode { throw Failure(code: code, message: nil) }
    }

    /// Whatever location the daemon remembers, without starting anything.
    private func lastLocation(over connection: VarlinkConnection, _ status: ServiceStatus) throws -> Aged<Location>? {
        guard status.mayKnow, status.enabled else { return nil }
        let anything = GetLocationParameters(maximumAge: 1e9, timeout: 0, passive: true)
        do throws(LocationError) {
            return try connection.call(LocationInterface.Method.getLocation, anything, as: LocationReply.self).location
        } catch .unavailable, .timedOut, .disabled {
            return nil
        }
    }

    /// Asks for locations for a few seconds, to learn what stands in their way.
    private func probe(_ before: ServiceStatus) throws -> (ServiceStatus, Aged<Location>?) {
        let connection = try options.connect()
        try connection.send(LocationInterface.Method.watch, WatchParameters(), more: true)
        var status = before
        var patience = 3.0
        while let reply = try connection.nextReply(seconds: patience) {
            let update = try reply.answer(as: WatchReply.self)
            if let location = update.location { return (status, location) }
            if let new = update.status { status = new }
            // A searching receiver may take minutes: what is known by then is told.
            if status.source == .unavailable { break }
            patience = status.source == .searching ? 1.5 : 3
        }
        return (status, nil)
    }
}

extension ServiceStatus {
    var mayKnow: Bool { authorization == .authorizedAlways || authorization == .authorizedWhenInUse }

    /// The code for a status without a location; `nil` where there is nothing wrong.
    fileprivate var exitCode: Int32? {
        if !mayKnow { return ExitCodes.notAuthorized }
        return ExitCodes.noLocation
    }
}
