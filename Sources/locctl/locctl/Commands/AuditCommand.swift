import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

/// `locctl audit`: lists the records of requests, decisions and deliveries.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Lists requests for authorization, decisions and deliveries.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: ArgumentHelp("The newest so many records, 1 to 10000; 1000 by default.", valueName: "n"))
    var limit: Int?

    @Option(
        help: "Only about uid:N, user:NAME, unit:NAME.service or bridge:nmea; a name alone is a user's.",
        completion: .principals)
    var principal: String?

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) { throw ValidationError("--limit is 1 to 10000") }
        if let mistake = completed.flatMap(PrincipalSyntax.mistake) { throw ValidationError(mistake) }
    }

    func run() throws {
        try options.writeAudit(AuditParameters(principal: try recorded(), limit: limit))
    }

    private var completed: String? { principal.map(PrincipalSyntax.completed) }

    /// The principal in the form that records use.
    private func recorded() throws -> String? {
        guard let principal = completed, principal.hasPrefix("user:") else { return principal }
        guard let uid = UserTable.uid(of: String(principal.dropFirst(5))) else {
            throw PrincipalText.unknown(principal)
        }
        return "uid:\(uid)"
    }
}

extension ConnectionOptions {
    func writeAudit(_ parameters: AuditParameters) throws {
        do {
            let reply = try administer(
                AdminInterface.Method.getHistory, parameters, as: AuditReply.self,
                wait: ConnectionOptions.diskTimeout)
            if json { return try Output.writeJSON(reply) }
            for line in AuditText.lines(reply.records, of: parameters.principal) { Output.write(line) }
        } catch LocationError.refused(AdminInterface.Failure.noSuchPrincipal, _) {
            throw PrincipalText.unknown(parameters.principal ?? "the principal")
        }
    }
}

/// Records for an administrator to read, oldest first.
enum AuditText {
    static func lines(_ records: [AuditRecord], of principal: String?) -> [String] {
        guard !records.isEmpty else {
            guard let principal else { return ["There are no records of requests, decisions or deliveries."] }
            return ["There are no records about \(PrincipalText.words(principal))."]
        }
        var table = Table(["TIME", "EVENT", "WHO", "PID", "WHAT", "BY", "PURPOSE"])
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
    private static func what(_ record: AuditRecord) -> String? {
        let term =
            (record.duration.map { ", for \(Text.duration($0))" } ?? "")
            + (record.process.map { ", process \($0) alone" } ?? "")
        let words = record.authorization.map { AuthorizationText.words($0, record.accuracy) + term }
        guard record.event == .requested else { return words }
        return words.map { "to be \($0)" + (record.accuracy == .full ? ", with full accuracy" : "") }
    }

    /// A unit with the user it runs as.
    private static func principalText(_ record: AuditRecord) -> String {
        let isUnit = record.principal.hasPrefix("unit:")
        guard isUnit, let uid = record.uid else { return PrincipalText.words(record.principal) }
        return "\(record.principal), \(PrincipalText.words("uid:\(uid)"))"
    }
}
