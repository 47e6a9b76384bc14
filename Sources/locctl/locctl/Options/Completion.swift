import ArgumentParser
import FoundationEssentials
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

extension CompletionKind {
    /// The log levels of the daemon.
    static let logLevels = list(["trace", "debug", "info", "notice", "warning", "error", "critical"])

    /// The known principals, the running services and the users.
    static let principals = offering { words in
        let known = Candidates(words).known
        let others =
            UserTable.names.map { "user:\($0)" } + Candidates.services.map { "unit:\($0)" } + ["bridge:nmea"]
        return known + others.filter { !known.contains($0) && PrincipalSyntax.mistake(in: $0) == nil }
    }

    /// The users that the system enumerates.
    static let users = offering { _ in UserTable.names }

    /// The caller's persisted monitors.
    static let monitors = offering { words in Candidates(words).monitors }

    /// The persisted monitors of all users.
    static let allMonitors = offering { words in Candidates(words).allMonitors }

    /// The configured sources.
    static let sources = offering { words in Candidates(words).sources }

    /// The connections that can be ended.
    static let clients = offering { words in Candidates(words).clients }

    /// Offers candidates from other sources, if they contain nothing that a shell interprets.
    private static func offering(_ candidates: @escaping @Sendable ([String]) -> [String]) -> CompletionKind {
        custom { words, _, _ in
            let safe = candidates(words).filter(CompletionCandidate.isSafe)
            // In zsh a plain colon separates a candidate from its description.
            return CompletionShell.requesting == .zsh ? safe.map { $0.replacing(":", with: #"\:"#) } : safe
        }
    }
}

/// Filters candidates for shell completion: users choose the names of their monitors, and a shell may run a command in
/// a word.
enum CompletionCandidate {
    /// Whether a word has only ASCII letters and digits, and punctuation that bash, zsh and fish do not interpret, and
    /// does not look like an option. Other words have to be typed.
    static func isSafe(_ word: String) -> Bool {
        guard let first = word.unicodeScalars.first, isAlphanumeric(first) || first == "_" else { return false }
        return word.utf8.count <= 256
            && word.unicodeScalars.allSatisfy { isAlphanumeric($0) || "_-.:@+/,".unicodeScalars.contains($0) }
    }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}

/// Sources of candidates. If the daemon does not answer within a second, or the caller is not authorized, there are
/// none: an error message would disturb the command line.
private struct Candidates {
    private let path: String

    /// - Parameter words: the words of the command line.
    init(_ words: [String]) {
        let option = words.firstIndex(of: "--socket")
        let named = option.flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        path = named ?? SocketPath.mostPrivileged
    }

    /// The known principals; those with a pending request come first, as in the daemon's list.
    var known: [String] {
        (call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)?.authorizations ?? [])
            .map(\.principal)
    }

    /// All connections but the one that this query uses.
    var clients: [String] {
        (call(AdminInterface.Method.listClients, as: ClientList.self)?.clients ?? [])
            .filter { $0.pid != Int(getpid()) }.map { "\($0.id)" }
    }

    /// The names of the configured sources.
    var sources: [String] {
        (call(AdminInterface.Method.getStatistics, as: StatisticsReply.self)?.statistics.sources ?? []).map(\.name)
    }

    /// The names of the caller's persisted monitors.
    var monitors: [String] {
        (call(LocationInterface.Method.listMonitors, as: ListMonitorsReply.self)?.monitors ?? []).map(\.name)
    }

    /// The names of all users' persisted monitors.
    var allMonitors: [String] {
        Set((call(AdminInterface.Method.listMonitors, as: AllMonitorsReply.self)?.monitors ?? []).map(\.name)).sorted()
    }

    /// The running system services.
    static var services: [String] {
        let folder = "/sys/fs/cgroup/system.slice"
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return (names ?? []).filter { $0.hasSuffix(".service") }.sorted()
    }

    private func call<Answer: Decodable>(_ method: String, as type: Answer.Type) -> Answer? {
        guard let waker = Waker() else { return nil }
        return try? VarlinkConnection(path: path, waker: waker, seconds: 1).call(method, as: type, seconds: 1)
    }
}
