import Foundation
import GRDB
@_spi(Programs) import LocationModel
import Logging
@_spi(Programs) import SystemSupport

/// A cache of answers in a file, until they expire; the least recently used is removed first.
///
/// The file never prevents an answer: a failed read or write is logged once, and a damaged file is renamed to
/// `PATH.damaged`. A database of another application is left alone.
///
/// Ownership: the actor uses the file exclusively; only one process may use it at a time.
actor PlaceCache {
    /// The most seconds for which an empty answer is kept.
    static let expiryOfNothing = 86_400.0

    private let file: PlaceCacheFile
    private let expiry: Double
    private let size: Int
    private let clock: ServiceClock
    private let logger: Logger
    private var isFailureLogged = false

    init(path: String, expiry: Double, size: Int, clock: ServiceClock, logger: Logger) {
        file = PlaceCacheFile(path: path)
        self.expiry = expiry
        self.size = size
        self.clock = clock
        self.logger = logger
    }

    /// - Returns: `nil` if there is no valid answer; empty if it is known that there is nothing.
    func placemarks(for key: String) -> [Placemark]? {
        let (now, expiry) = (clock.utc(), expiry)
        return attempt { database in
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT placemarks, stored FROM answer WHERE key = ?", arguments: [key])
            else { return nil }
            // A negative age means that a clock was wrong.
            guard let text = String.fromDatabaseValue(row[0]), let stored = Int64.fromDatabaseValue(row[1]),
                let placemarks = try? JSONDecoder().decode([Placemark].self, from: Data(text.utf8)),
                case let age = now.seconds(since: UTCTime(seconds: stored)), age >= -1,
                age < (placemarks.isEmpty ? min(expiry, Self.expiryOfNothing) : expiry)
            else { return nil }
            try database.execute(
                sql: "UPDATE answer SET used = 1 + (SELECT max(used) FROM answer) WHERE key = ?", arguments: [key])
            return placemarks
        } ?? nil
    }

    /// Stores an answer; an empty one if there is nothing.
    func store(_ placemarks: [Placemark], for key: String) {
        let (now, expiry, size) = (clock.utc().seconds, expiry, size)
        guard expiry > 0, let text = try? JSONEncoder().encode(placemarks) else { return }
        attempt { database in
            try database.execute(sql: "DELETE FROM answer WHERE stored <= ?", arguments: [now - Int64(expiry)])
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO answer (key, placemarks, stored, used)
                    VALUES (?, ?, ?, 1 + (SELECT coalesce(max(used), 0) FROM answer))
                    """, arguments: [key, String(decoding: text, as: UTF8.self), now])
            try database.execute(
                sql: """
                    DELETE FROM answer WHERE key IN (SELECT key FROM answer ORDER BY used
                    LIMIT max(0, (SELECT count(*) FROM answer) - ?))
                    """, arguments: [size])
        }
    }

    /// The remaining seconds for which the service asked for no requests.
    func hold(of service: String) -> Double? {
        let now = clock.utc()
        return attempt { database in
            try Int64.fetchOne(database, sql: "SELECT until FROM hold WHERE service = ?", arguments: [service])
        }.flatMap { $0 }.map { UTCTime(seconds: $0).seconds(since: now) }
    }

    func persistHold(of service: String, seconds: Double) {
        let end = clock.utc().seconds + Int64(seconds.rounded(.up))
        attempt { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO hold (service, until) VALUES (?, ?)", arguments: [service, end])
        }
    }

    /// - Returns: `nil` if the file cannot be used.
    @discardableResult private func attempt<Value: Sendable>(_ work: (Database) throws -> Value) -> Value? {
        do {
            let (value, hasMended) = try file.attempt(work)
            if hasMended { logger.warning("the cache of places was damaged and is created again", metadata: place) }
            isFailureLogged = false
            return value
        } catch {
            if !isFailureLogged {
                logger.warning(
                    "the cache of places cannot be used", metadata: place.merging(["reason": "\(error)"]) { $1 })
            }
            isFailureLogged = true
            return nil
        }
    }

    private var place: Logger.Metadata { ["path": "\(file.path)"] }
}
