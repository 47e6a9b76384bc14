import ServiceKit

/// The words of a command line, without the program's name.
struct CommandLineWords {
    let words: [String]
    private let tree: () -> CommandTree?

    /// - Parameter tree: reads what is accepted, which takes some milliseconds; called only if it is needed.
    init(_ words: [String], _ tree: @escaping () -> CommandTree? = { CommandTree.read(of: Locctl.self) }) {
        self.words = words
        self.tree = tree
    }

    // MARK: What the parser does not accept by itself

    /// The words as the parser wants them: options of the connection follow the command's name, and a negative number
    /// that is an option's value is one word with it, because it looks like an option itself.
    var prepared: [String] { CommandLineWords(moved, tree).joined }

    /// Moves leading `--socket PATH` and `--json` behind the command's name, where they are parsed. A command that asks
    /// no daemon needs no socket: a leading one is left out, so that one prefix fits all commands of a script.
    private var moved: [String] {
        var leading: [String] = []
        var socket: [String] = []
        var rest = words[...]
        while let first = rest.first {
            let length = first == "--socket" ? 2 : first == "--json" || first.hasPrefix("--socket=") ? 1 : 0
            guard length > 0, rest.count >= length else { break }
            if first == "--json" { leading.append(first) } else { socket = Array(rest.prefix(length)) }
            rest = rest.dropFirst(length)
        }
        guard let command = rest.first, !(leading + socket).isEmpty else { return words }
        // Help and version are of no daemon.
        guard command != "help", !["--help", "-h", "--version"].contains(command) else { return Array(rest) }
        guard !command.hasPrefix("-") else { return words }
        let accepted = socket.isEmpty ? nil : tree()?.subcommand(command)
        if let accepted, accepted.takesValue("--socket") == nil { socket = [] }
        return [command] + socket + leading + rest.dropFirst()
    }

    private var joined: [String] {
        let pairs = zip(words, words.dropFirst())
        guard pairs.contains(where: { $0.hasPrefix("--") && Self.isNegativeNumber($1) }), let tree = tree() else {
            return words
        }
        var command = tree
        var result: [String] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            index += 1
            if word == "--" { return result + words[(index - 1)...] }
            if let inner = command.subcommand(word) { command = inner }
            let isValue = command.takesValue(word) == true && index < words.count
            guard isValue else {
                result.append(word)
                continue
            }
            if word.hasPrefix("--"), Self.isNegativeNumber(words[index]) {
                result.append("\(word)=\(words[index])")
            } else {
                result += [word, words[index]]
            }
            index += 1
        }
        return result
    }

    private static func isNegativeNumber(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return second == "." || second.isASCII && second.isNumber
    }

    // MARK: What nobody accepts

    /// The first word that is no command or no option, and the nearest one that is; `nil` if all are known. The mistake
    /// is another one then, or the library's description cannot be read.
    var mistake: String? {
        guard let tree = tree() else { return nil }
        var path = [tree]
        var index = 0
        while index < words.count, words[index] != "--", let command = path.last {
            let word = words[index]
            index += 1
            if word.hasPrefix("-"), word != "-", !Self.isNegativeNumber(word) {
                let option = String(word.prefix { $0 != "=" })
                let known =
                    path.compactMap { $0.takesValue(option) }.last ?? (path.count == 1 ? Self.leading[option] : nil)
                if known == nil, !Self.everywhere.contains(option) { return unknownOption(option, of: path) }
                if known == true, option == word { index += 1 }
            } else if !command.subcommands.isEmpty {
                guard let inner = command.subcommand(word) else { return unknownCommand(word, below: path) }
                path.append(inner)
            }
        }
        return path.count == 1 ? "a command is missing; `locctl help` lists the commands" : nil
    }

    /// What is wrong with the command that help is wanted for; the library shows the help of all commands then.
    var mistakeInHelp: String? {
        guard words.first == "help", words.count > 1, let tree = tree() else { return nil }
        var path = [tree]
        for word in words.dropFirst() where !word.hasPrefix("-") {
            guard let inner = path.last?.subcommand(word) else { return unknownCommand(word, below: path) }
            path.append(inner)
        }
        return nil
    }

    /// The library's own.
    private static let everywhere = ["--help", "-h", "--version", "--generate-completion-script"]

    /// Those that may precede each command's name, and whether a value follows.
    private static let leading = ["--socket": true, "--json": false]

    private func unknownCommand(_ word: String, below path: [CommandTree]) -> String {
        let prefix = path.dropFirst().map { $0.name + " " }.joined()
        let nearest = Spelling.nearest(to: word.lowercased(), among: path.last?.subcommands.map(\.name) ?? [])
        return "unknown command '\(prefix)\(word)'; "
            + (nearest.map { "did you mean \(prefix)\($0)?" } ?? "`locctl \(prefix)--help` lists the commands")
    }

    private func unknownOption(_ option: String, of path: [CommandTree]) -> String {
        let command = path.dropFirst().map(\.name).joined(separator: " ")
        let known = (path.last?.options ?? []) + (path.count == 1 ? Array(Self.leading.keys) : [])
        let nearest = Spelling.nearest(to: option.lowercased(), among: Set(known).filter { $0.hasPrefix("--") })
        return "unknown option '\(option)'" + (command.isEmpty ? "" : " of \(command)") + "; "
            + (nearest.map { "did you mean \($0)?" }
                ?? "`locctl \(command.isEmpty ? "" : command + " ")--help` lists the options")
    }
}
