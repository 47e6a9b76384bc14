import ArgumentParser
import Foundation
import ProgramTestSupport
import Testing

@testable import locctl

/// `locctl`'s page lists every command, option and argument that `locctl` says it has, and no other.
@Suite struct CommandManualTests {
    @Test func everyCommandAndOptionIsListedAndNoOther() throws {
        let dump = try #require(JSONSerialization.jsonObject(with: Data(Locctl._dumpHelp().utf8)) as? [String: Any])
        let root = try #require(dump["command"] as? [String: Any])
        let commands = try #require(root["subcommands"] as? [[String: Any]])
        let told = Dictionary(uniqueKeysWithValues: commands.flatMap(told))
        let listed = listed(in: try ManualPage("locctl.1"))
        let common = listed.common
        #expect(common == ["--socket Ar path", "--json", "--version", "--help"])
        #expect(Set(listed.commands.keys) == Set(told.keys) && told.count > 15)
        for (name, usage) in told {
            #expect(usage.filter { !common.contains($0) } == listed.commands[name], "\(name)")
            // They read a file, or ask another service or a broker, and no daemon.
            let isOfDaemon =
                name != "convert" && !name.hasPrefix("fleet") && name != "web"
                && !usage.contains("--history-socket Ar path")
                && (!usage.contains("--nearby-socket Ar path") || name == "nearby learn")
            let missing =
                (isOfDaemon ? [] : ["--socket Ar path"]) + (name == "convert" || name == "monitor" ? ["--json"] : [])
            #expect(usage.filter(common.contains) == common.filter { !missing.contains($0) }, "\(name)")
        }
    }

    @Test func helpNamesUnitsWholeDefaultsAndNoValueTwice() throws {
        let dump = try #require(JSONSerialization.jsonObject(with: Data(Locctl._dumpHelp().utf8)) as? [String: Any])
        let root = try #require(dump["command"] as? [String: Any])
        var queue = root["subcommands"] as? [[String: Any]] ?? []
        var defaults: [String] = []
        while let command = queue.popLast() {
            queue += command["subcommands"] as? [[String: Any]] ?? []
            for argument in command["arguments"] as? [[String: Any]] ?? [] {
                let words = argument["abstract"] as? String ?? ""
                let values = argument["allValues"] as? [String] ?? []
                #expect(values.count < 2 || !values.allSatisfy(words.contains), "values stand twice: \(words)")
                if let value = argument["defaultValue"] as? String { defaults.append(value) }
            }
        }
        #expect(defaults.contains("30") && !defaults.contains { $0.hasSuffix(".0") }, "\(defaults)")
    }

    /// A command, and those below it by `command subcommand`.
    private func told(_ command: [String: Any]) -> [(String, [String])] {
        guard let name = command["commandName"] as? String, name != "help" else { return [] }
        let inner = (command["subcommands"] as? [[String: Any]] ?? []).flatMap(told)
        return [(name, usage(of: command))] + inner.map { ("\(name) \($0.0)", $0.1) }
    }

    /// A command's plain arguments together, then its options, those with a value as `--name Ar value`.
    private func usage(of command: [String: Any]) -> [String] {
        let arguments = (command["arguments"] as? [[String: Any]] ?? []).filter { $0["shouldDisplay"] as? Bool == true }
        let plain = arguments.filter { $0["kind"] as? String == "positional" }.compactMap { $0["valueName"] as? String }
        let options = arguments.compactMap { argument -> String? in
            let preferred = (argument["preferredName"] as? [String: Any])?["name"] as? String
            let value = argument["kind"] as? String == "option" ? argument["valueName"] as? String : nil
            return preferred.map { "--\($0)" + (value.map { " Ar \($0)" } ?? "") }
        }
        return (plain.isEmpty ? [] : [plain.joined(separator: " ")]) + options
    }

    private func listed(in page: ManualPage) -> (common: [String], commands: [String: [String]]) {
        var common: [String] = []
        var commands: [String: [String]] = [:]
        var present: String?
        for item in page.items {
            if let words = item.words(after: "Ic") {
                let name = words.prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } }.joined(separator: " ")
                present = name
                // What follows the options, in brackets, is the plain argument.
                let plain = words.firstIndex(of: "Oc").map { words[($0 + 2)...].joined(separator: " ") }
                commands[name] = plain.map { [$0] } ?? []
            } else if let words = item.words(after: "Fl") {
                let name = words.last { $0.hasPrefix("-") } ?? ""
                let option =
                    "-\(name)" + (words.firstIndex(of: "Ar").map { " " + words[$0...].joined(separator: " ") } ?? "")
                if let present { commands[present]?.append(option) } else { common.append(option) }
            }
        }
        return (common, commands)
    }
}
