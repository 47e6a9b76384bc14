import Glibc

/// The present command as an administrator would give it.
enum AdministratorCommand {
    static var isSuperuser: Bool { geteuid() == 0 }

    /// - Parameters:
    ///   - arguments: those of the program, its name first.
    ///   - socket: the only one that serves; `nil` lets the command find it by itself.
    static func text(_ arguments: [String] = CommandLine.arguments, socket: String?) -> String {
        var words = ["sudo", "locctl"]
        var isPath = false
        for word in arguments.dropFirst() {
            if !isPath, word != "--socket", !word.hasPrefix("--socket=") { words.append(quoted(word)) }
            isPath = !isPath && word == "--socket"
        }
        if let socket { words += ["--socket", quoted(socket)] }
        return words.joined(separator: " ")
    }

    /// A word as the shell takes it for one.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:@=,+%".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
