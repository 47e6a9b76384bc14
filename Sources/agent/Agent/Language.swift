/// The languages that the texts are in.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"

    /// The person's language by the variables of the environment, the first that is set; see locale(7).
    ///
    /// - Parameter variables: the environment.
    package init(of variables: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty } ?? "C"
        let isPlain = locale == "C" || locale.hasPrefix("C.") || locale == "POSIX"
        // LANGUAGE is a list, which counts where a language is set at all.
        let list = isPlain ? [] : (variables["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
        let codes = (list + [locale]).map { String($0.prefix { $0 != "_" && $0 != "." && $0 != "@" }) }
        self = codes.lazy.compactMap(Language.init(rawValue:)).first ?? .english
    }
}
