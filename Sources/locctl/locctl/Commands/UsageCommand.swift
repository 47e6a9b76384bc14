import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// `locctl usage`: lists the programs that receive locations, or have received some.
struct UsageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Lists your programs that receive locations, or have received some in the last 24 hours.",
        discussion: """
            PROGRAM is what a program says of itself, which anybody may say. BY is the service by which it receives \
            locations. LOCATIONS is counted by the hour.
            """)

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "Show the list again after each change, until Ctrl-C.")
    var watch = false

    @Flag(help: "The programs of all users, as an administrator.")
    var all = false

    func run() throws {
        try Interruption.withWaker { waker in
            let connection = try options.connect(waker: waker)
            let method = LocationInterface.Method.watchUsage
            try connection.send(method, UsageParameters(all: all ? true : nil), more: watch)
            var isFirst = true
            while let reply = try connection.nextReply() {
                let list = try answer(of: reply)
                if options.json {
                    try Output.writeJSON(list)
                } else {
                    if !isFirst { Output.write("") }
                    for line in UsageText.lines(list.usage, ofAll: all) { Output.write(line) }
                }
                isFirst = false
                guard reply.continues else {
                    if watch { throw Failure(code: ExitCodes.daemonNotReachable, message: "the service has ended") }
                    return
                }
            }
        }
    }

    private func answer(of reply: Reply) throws -> UsageReply {
        do throws(LocationError) {
            return try reply.answer(as: UsageReply.self)
        } catch {
            guard case .refused(LocationInterface.Failure.notPermitted, let reason) = error else { throw error }
            throw Failure(code: ExitCodes.notAuthorized, message: reason ?? "the daemon gives no reason")
        }
    }
}

/// The use of the position for a person to read.
enum UsageText {
    /// - Parameters:
    ///   - process: looks up a process's name.
    ///   - user: looks up a user's name.
    static func lines(
        _ usage: [LocationUsage], ofAll: Bool, process: (Int) -> String? = { ProcessName.of($0) },
        user: (UInt32) -> String? = { UserTable.name(of: $0) }
    ) -> [String] {
        guard !usage.isEmpty else {
            return ["No program\(ofAll ? "" : " of yours") has received the position in the last 24 hours."]
        }
        var table = Table(["PROGRAM"] + (ofAll ? ["WHO"] : []) + ["NOW", "LAST", "LOCATIONS", "ACCURACY", "BY"])
        for entry in usage {
            let who = entry.user.map { PrincipalText.words("uid:\($0)", user) } ?? "-"
            table.add(
                [name(of: entry, process)] + (ofAll ? [who] : []) + [
                    entry.since.map { "since \(Text.time($0))" } ?? "-", entry.last.map(Text.time) ?? "-",
                    "\(entry.locations)", entry.accuracy.rawValue, entry.service ?? "-",
                ])
        }
        guard let start = usage.first?.countedSince else { return table.lines }
        return table.lines + ["LOCATIONS is counted since \(Text.time(start)), when the daemon started."]
    }

    private static func name(of usage: LocationUsage, _ process: (Int) -> String?) -> String {
        if let program = usage.program { return program }
        guard let pid = usage.pid else { return "(says nothing of itself)" }
        return "(process \(pid)\(process(pid).map { ", \($0)" } ?? ""))"
    }
}
