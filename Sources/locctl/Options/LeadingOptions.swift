/// Connection options before the command's name, where other programs have theirs.
enum LeadingOptions {
    /// The arguments with leading `--socket PATH` and `--json` moved behind the command's name, which takes them.
    ///
    /// - Parameter arguments: without the program's name.
    static func moved(_ arguments: [String]) -> [String] {
        var leading: [String] = []
        var rest = arguments[...]
        while let first = rest.first {
            let length = first == "--socket" ? 2 : first == "--json" || first.hasPrefix("--socket=") ? 1 : 0
            guard length > 0, rest.count >= length else { break }
            leading += rest.prefix(length)
            rest = rest.dropFirst(length)
        }
        guard let command = rest.popFirst(), !command.hasPrefix("-"), command != "help" else { return arguments }
        return [command] + leading + rest
    }
}
