import ArgumentParser
import LocationInterface
import LocationKit

/// Who asked to know, and what was decided.
struct AuthorizationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorizations",
        abstract: "Lists who asked to know the position, who waits for a decision, and what was decided.")

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "What was noted instead, as `locctl history` tells it.")
    var history = false

    func run() throws {
        if history { return try options.tellHistory(GetHistoryParameters()) }
        let list = try options.administer(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
        if options.json { return try Output.writeJSON(list) }
        for line in AuthorizationText.lines(list) { Output.write(line) }
    }
}
