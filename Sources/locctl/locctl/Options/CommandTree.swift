import ArgumentParser
import FoundationEssentials

/// What `locctl` accepts, by its own description: its commands, those below them, and the names of their options.
struct CommandTree: Decodable {
    let name: String
    let subcommands: [CommandTree]
    private let arguments: [Argument]

    private struct Argument: Decodable {
        let kind: String
        let names: [Name]?
    }

    private struct Name: Decodable {
        let kind: String
        let name: String

        var word: String { (kind == "long" ? "--" : "-") + name }
    }

    private enum CodingKeys: String, CodingKey { case commandName, subcommands, arguments }

    private struct Description: Decodable { let command: CommandTree }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .commandName)
        subcommands = try container.decodeIfPresent([CommandTree].self, forKey: .subcommands) ?? []
        arguments = try container.decodeIfPresent([Argument].self, forKey: .arguments) ?? []
    }

    /// - Returns: `nil` if the library describes commands in another form; then its own messages have to do.
    static func read(of command: any ParsableCommand.Type) -> CommandTree? {
        // The text of `--experimental-dump-help`.
        let text = Data(command._dumpHelp().utf8)
        return try? JSONDecoder().decode(Description.self, from: text).command
    }

    func subcommand(_ name: String) -> CommandTree? { subcommands.first { $0.name == name } }

    /// The options' words, as `--socket` and `-o`.
    var options: [String] { arguments.flatMap { ($0.names ?? []).map(\.word) } }

    /// Whether a value follows the option; `nil` if the command has no such option.
    func takesValue(_ option: String) -> Bool? {
        arguments.first { ($0.names ?? []).contains { $0.word == option } }.map { $0.kind == "option" }
    }
}
