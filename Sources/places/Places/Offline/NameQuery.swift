internal import GRDB
import SQLiteRows

/// A query by name, with qualifiers after commas: "Springfield, Illinois, US".
struct NameQuery: Sendable {
    private let name: String
    private let qualifiers: [String]

    init(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { FoldedName.of($0) }
        name = parts.first ?? ""
        qualifiers = parts.dropFirst().filter { !$0.isEmpty }
    }

    /// Places with that name, then places whose names begin with it; each sorted by falling population.
    ///
    /// A qualifier is a country or an administrative area, by name (countries in any language) or code; a place has to
    /// match all of them. A qualifier that matches no country or area at all is ignored.
    func places(limit: Int, in access: PlacesDatabase.Access) throws -> [Place] {
        guard !name.isEmpty, limit > 0 else { return [] }
        var (condition, values) = ("", StatementArguments())
        for qualifier in qualifiers {
            let meant = try Meaning(of: qualifier, in: access.database)
            guard !meant.countries.isEmpty || !meant.areas.isEmpty else { continue }
            condition += " AND (country IN (\(marks(meant.countries.count))) OR area IN (\(marks(meant.areas.count))))"
            values += StatementArguments(meant.countries) + StatementArguments(meant.areas)
        }

        func places(_ match: String, _ bounds: StatementArguments, _ limit: Int) throws -> [Place] {
            // Ids are in the order of population, so only the names need sorting.
            let sql = """
                SELECT \(Place.columns) FROM (SELECT DISTINCT place FROM names WHERE \(match)) AS found
                CROSS JOIN places ON places.id = found.place WHERE 1\(condition) ORDER BY found.place LIMIT ?
                """
            let rows = try Row.fetchCursor(access.database, sql: sql, arguments: bounds + values + [limit])
            var found: [Place] = []
            while let row = try rows.next() { found.append(try Place(row)) }
            return found
        }
        let equal = try places("name = ?", [name], limit)
        guard equal.count < limit else { return equal }
        let match = "name > ? AND name < ? AND place < ? AND place NOT IN (SELECT place FROM names WHERE name = ?)"
        func longer(below bound: Int64) throws -> [Place] {
            try places(match, [name, name + "\u{10FFFF}", bound, name], limit - equal.count)
        }
        // Many names begin with the same letter, and most queries are for places with a large population, which have
        // the lowest ids. The rest is searched only if these are not enough.
        let likely = try longer(below: Self.likely)
        return try equal + (likely.count + equal.count == limit ? likely : longer(below: .max))
    }

    private static let likely: Int64 = 5000

    private func marks(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ",")
    }
}

/// What a qualifier after a comma may refer to.
private struct Meaning {
    let countries: [String]
    let areas: [Int64]

    init(of qualifier: String, in database: Database) throws {
        let country = "SELECT DISTINCT country FROM country_search WHERE name = ?"
        countries = try Row.fetchAll(database, sql: country, arguments: [qualifier]).map { try $0.text(0) }
        // "Suceava" also matches "Suceava County".
        let area = "SELECT DISTINCT area FROM area_search WHERE name = ?1 OR (name > ?1 || ' ' AND name < ?1 || '!')"
        areas = try Row.fetchAll(database, sql: area, arguments: [qualifier]).map { try $0.integer(0) }
    }
}
