import Foundation

/// The names under which what this program monitors is kept.
enum ProgramName {
    /// The program's own, of at most 60 bytes.
    static var current: String { shortened(ProcessInfo.processInfo.processName, to: 60) }

    /// That of something that the program has a name for, such as `PROGRAM/NAME`.
    static func with(_ name: String) -> String { shortened("\(current)/\(name)", to: 128) }

    private static func shortened(_ name: String, to limit: Int) -> String {
        var bytes = 0
        let short = name.prefix { character in
            bytes += character.utf8.count
            return bytes <= limit
        }
        return short.isEmpty ? "program" : String(short)
    }
}
