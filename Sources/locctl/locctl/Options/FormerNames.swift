/// Names of commands and options of an earlier release, which are accepted for one more release.
enum FormerNames {
    /// - Parameter words: a command line without the program's name.
    /// - Returns: the same with the present names, and what to say about it; `nil` if there is nothing to say.
    static func replaced(in words: [String]) -> (words: [String], advice: String?) {
        guard let index = commandIndex(in: words) else { return (words, nil) }
        let (leading, rest) = (words[..<index], words[(index + 1)...])
        switch words[index] {
        case "history":
            let now = names(below: rest)
            return (leading + now.command + now.rest, advice("locctl history" + now.former, now.command))
        case "authorizations" where rest.contains("--history"):
            let renamed = rest.map { $0 == "--history" ? "--audit" : $0 }
            return (leading + ["authorizations"] + renamed, advice("--history", ["authorizations", "--audit"]))
        default: return (words, nil)
        }
    }

    private static let recording = ["track": "status", "pause": "pause", "resume": "resume"]

    /// The audit, or the recording of the track, whose commands were below the same name.
    private static func names(
        below rest: ArraySlice<String>
    ) -> (former: String, command: [String], rest: [String]) {
        let place = rest.firstIndex { $0 != "--json" }
        guard let place, let name = recording[rest[place]] else { return ("", ["audit"], Array(rest)) }
        return (" \(rest[place])", ["track", name], Array(rest[..<place] + rest[(place + 1)...]))
    }

    /// The place of the command's name, behind the options of the connection and `help`.
    private static func commandIndex(in words: [String]) -> Int? {
        var index = words.startIndex
        while index < words.endIndex {
            switch words[index] {
            case "--socket": index += 2
            case "--json", "help": index += 1
            case let word where word.hasPrefix("--socket="): index += 1
            default: return index
            }
        }
        return nil
    }

    private static func advice(_ former: String, _ present: [String]) -> String {
        "`\(former)` is `locctl \(present.joined(separator: " "))` now; the former name goes with the next release"
    }
}
