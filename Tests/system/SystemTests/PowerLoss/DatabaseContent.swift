import Foundation
import GRDB
import ProgramTestSupport

/// All rows of all tables of a database, in the order of their numbers.
enum DatabaseContent {
    /// - Throws: what is wrong if the database is damaged.
    static func rows(at path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.inDatabase { database in
            let verdict = try String.fetchAll(database, sql: "PRAGMA integrity_check")
            guard verdict == ["ok"] else { throw Failure("it is damaged: \(verdict)") }
            let faults = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
            guard faults.isEmpty else { throw Failure("references are broken: \(faults)") }
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return try tables.flatMap { table in
                try Row.fetchAll(database, sql: "SELECT * FROM \(table) ORDER BY rowid").map { row in
                    let values = row.databaseValues.map { value in
                        // The messages of the outbox are text.
                        Data.fromDatabaseValue(value).map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
                    }
                    return "\(table) \(values.joined(separator: " "))"
                }
            }
        }
    }
}
