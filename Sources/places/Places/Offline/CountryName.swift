internal import GRDB
import SQLiteRows

/// The names of countries.
enum CountryName {
    /// A country's name in the locale's language, else in its parent locales, at last in English.
    ///
    /// - Parameters:
    ///   - country: ISO 3166-1 alpha-2, upper case.
    ///   - locale: A language tag (BCP 47); POSIX names like `de_AT.UTF-8` are understood. `nil` is English.
    /// - Returns: `nil` if it has no name in English either.
    static func of(_ country: String, locale: String?, in access: PlacesDatabase.Access) throws -> String? {
        let sql = "SELECT name FROM country_names WHERE locale = ? AND country = ?"
        let statement = try access.database.cachedStatement(sql: sql)
        for tag in tags(locale ?? "en", parents: access.fixed.parents) {
            if let row = try Row.fetchOne(statement, arguments: [tag, country]) { return try row.text(0) }
        }
        return nil
    }

    /// The language tags to try, the best first; English is the last.
    static func tags(_ locale: String, parents: [String: String]) -> [String] {
        var tags: [String] = []
        var tag: String? = written(locale)
        // The longest chain of parents has a few steps; the limit guards against a cycle in the database.
        while let next = tag, tags.count < 12 {
            tags.append(next)
            tag = parents[next] ?? next.lastIndex(of: "-").map { String(next[..<$0]) }
        }
        return tags + ["en"]
    }

    /// The tag in the database's form: language in lower case, script capitalized, region in upper case.
    private static func written(_ locale: String) -> String {
        let name = locale.prefix(64).prefix { $0 != "." && $0 != "@" }
        let parts = name.split { $0 == "-" || $0 == "_" }.map { $0.lowercased() }
        let rest = parts.dropFirst().map { part in
            switch part.count {
            case 2: part.uppercased()
            case 4: part.prefix(1).uppercased() + part.dropFirst()
            default: part
            }
        }
        return (parts.prefix(1) + rest).joined(separator: "-")
    }
}
