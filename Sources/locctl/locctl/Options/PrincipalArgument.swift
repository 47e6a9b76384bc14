import ArgumentParser
import Glibc

/// The principal that an administrator's command is about.
struct PrincipalArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "uid:N, user:NAME, unit:NAME.service or bridge:nmea; a name alone is a user's.", valueName: "principal"),
        completion: .principals)
    var word: String

    var principal: String { PrincipalSyntax.completed(word) }

    func validate() throws {
        if word == PrincipalSyntax.caller {
            throw ValidationError("`me` is for authorize and deny alone; name a user, such as uid:\(getuid())")
        }
        if let mistake = PrincipalSyntax.mistake(in: principal) { throw ValidationError(mistake) }
    }
}

/// The principal of a decision: one that an administrator names, or the caller itself.
struct DecisionArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "me (your own programs), or for administrators uid:N, user:NAME, unit:NAME.service or bridge:nmea; a name alone "
                + "is a user's.",
            valueName: "principal"),
        completion: .principals)
    var word: String

    /// Whether the caller decides about its own programs.
    var isCaller: Bool { word == PrincipalSyntax.caller }
    var principal: String { PrincipalSyntax.completed(word) }

    func validate() throws {
        if !isCaller, let mistake = PrincipalSyntax.mistake(in: principal) { throw ValidationError(mistake) }
    }
}

/// The syntax of principals.
enum PrincipalSyntax {
    /// Stands for whoever runs the command. A user of that name is `user:me`.
    static let caller = "me"

    /// The principal, with its kind if that was left out: `anna` is `user:anna`, `1000` is `uid:1000`, and
    /// `weather.service` is `unit:weather.service`. Other texts stay as they are.
    static func completed(_ text: String) -> String {
        text.contains(":") ? text : bare(text) ?? text
    }

    /// What is wrong with a principal, and what was probably meant; `nil` if it is valid.
    static func mistake(in text: String) -> String? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return wrong(text, meant: bare(text)) }
        let name = parts[1]
        if text == "uid:65534" || text == "user:nobody" {
            return "\(text) is the overflow user, which stands for any user; no decision can be made about it"
        }
        switch parts[0] {
        case "uid":
            return isNumber(name) && UInt32(name) != nil ? nil : wrong(text, meant: isName(name) ? bare(name) : nil)
        case "user": return isName(name) ? nil : wrong(text, meant: isNumber(name) ? bare(name) : nil)
        case "unit": return isUnit(name) ? nil : wrong(text, meant: name.contains(".") ? nil : bare(name + ".service"))
        case "bridge": return name == "nmea" ? nil : wrong(text, meant: "bridge:nmea")
        case "group": return "\(text): locctl makes no decisions about groups; use a rule in the policy file"
        default: return wrong(text, meant: nil)
        }
    }

    private static func wrong(_ text: String, meant: String?) -> String {
        "\(text) is not a valid principal: "
            + (meant.map { "write \($0)" } ?? "write uid:N, user:NAME, unit:NAME.service or bridge:nmea")
    }

    /// The principal that a word without a kind probably means.
    private static func bare(_ word: String) -> String? {
        if isNumber(word) { return UInt32(word) == nil ? nil : "uid:\(word)" }
        if isUnit(word) { return "unit:\(word)" }
        return isName(word) ? "user:\(word)" : nil
    }

    private static func isNumber(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isName(_ word: String) -> Bool {
        !word.isEmpty && !word.hasPrefix("-") && !isNumber(word) && !word.hasSuffix(".service")
            && !word.contains { $0 == ":" || $0.isWhitespace }
    }

    private static func isUnit(_ word: String) -> Bool {
        word.hasSuffix(".service") && word.utf8.count > 8 && !word.contains(where: \.isWhitespace)
    }
}
