import AdministrationInterface
import ArgumentParser
import LocationInterface
import LocationKit
import SystemSupport

/// `locctl history`: lists the records of requests, decisions and deliveries; its subcommands are of the track's recording.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists requests, decisions and deliveries; pauses the recording of the track.",
        subcommands: [TrackStateCommand.self, PauseHistoryCommand.self, ResumeHistoryCommand.self])

    @OptionGroup var options: ConnectionOptions

    @Option(help: "The newest so many records, 1 to 10000; 1000 by default.")
    var limit: Int?

    @Option(help: "Only about uid:N, user:NAME, unit:NAME.service or bridge:nmea.", completion: .principals)
    var principal: String?

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) { throw ValidationError("--limit is 1 to 10000") }
        if let mistake = principal.flatMap(PrincipalSyntax.mistake) { throw ValidationError(mistake) }
    }

    func run() throws {
        try options.writeHistory(GetHistoryParameters(principal: try recorded(), limit: limit))
    }

    /// The principal in the form that records use.
    private func recorded() throws -> String? {
        guard let principal, principal.hasPrefix("user:") else { return principal }
        guard let uid = UserTable.uid(of: String(principal.dropFirst(5))) else {
            throw PrincipalText.unknown(principal)
        }
        return "uid:\(uid)"
    }
}

extension ConnectionOptions {
    func writeHistory(_ parameters: GetHistoryParameters) throws {
        do {
            let reply = try administer(
                AdminInterface.Method.getHistory, parameters, as: HistoryReply.self,
                wait: ConnectionOptions.diskTimeout)
            if json { return try Output.writeJSON(reply) }
            for line in HistoryText.lines(reply.records, of: parameters.principal) { Output.write(line) }
        } catch LocationError.refused(AdminInterface.Failure.noSuchPrincipal, _) {
            throw PrincipalText.unknown(parameters.principal ?? "the principal")
        }
    }
}

/// Records for an administrator to read, oldest first.
enum HistoryText {
    static func lines(_ records: [HistoryRecord], of principal: String?) -> [String] {
        guard !records.isEmpty else {
            guard let principal else { return ["There are no records of requests, decisions or deliveries."] }
            return ["There are no records about \(PrincipalText.words(principal))."]
        }
        var table = Table(["TIME (UTC)", "EVENT", "WHO", "PID", "WHAT", "BY", "PURPOSE"])
        for record in records {
            table.add([
                Text.time(record.time), record.event.rawValue, principalText(record),
                record.pid.map(String.init) ?? "-",
                what(record) ?? "-", record.by.map(PrincipalText.words) ?? "-", record.purpose ?? "",
            ])
        }
        return table.lines
    }

    /// A request is marked as such: its authorization is requested, not granted.
    private static func what(_ record: HistoryRecord) -> String? {
        let term = record.duration.map { ", for \(Text.duration($0))" } ?? ""
        let words = record.authorization.map { AuthorizationText.words($0, record.accuracy) + term }
        guard record.event == .requested else { return words }
        return words.map { "to be \($0)" + (record.accuracy == .full ? ", with full accuracy" : "") }
    }

    /// A unit with the user it runs as.
    private static func principalText(_ record: HistoryRecord) -> String {
        let isUnit = record.principal.hasPrefix("unit:")
        guard isUnit, let uid = record.uid else { return PrincipalText.words(record.principal) }
        return "\(record.principal), \(PrincipalText.words("uid:\(uid)"))"
    }
}
