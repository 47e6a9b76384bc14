import ArgumentParser
import FoundationEssentials
import Glibc
import LocationInterface
import LocationKit
import SystemSupport

extension CompletionKind {
    /// The levels of the daemon's log.
    static let logLevels = list(["trace", "debug", "info", "notice", "warning", "error", "critical"])

    /// Those who asked or were decided about, the services that run and the users there are.
    static let principals = offering { words in
        let known = Candidates(words).known
        let others =
            UserTable.names.map { "user:\($0)" } + Candidates.services.map { "unit:\($0)" } + ["bridge:nmea"]
        return known + others.filter { !known.contains($0) && PrincipalSpelling.mistake(in: $0) == nil }
    }

    /// What the caller keeps to be monitored.
    static let monitors = offering { words in Candidates(words).monitors }

    /// What anybody keeps to be monitored.
    static let allMonitors = offering { words in Candidates(words).allMonitors }

    /// The connections that can be ended.
    static let clients = offering { words in Candidates(words).clients }

    /// Offers candidates that come from elsewhere, as far as they mean nothing to any shell.
    private static func offering(_ candidates: @escaping @Sendable ([String]) -> [String]) -> CompletionKind {
        custom { words, _, _ in
            let safe = candidates(words).filter(CompletionCandidate.isSafe)
            // What follows a plain colon is a description to zsh.
            return CompletionShell.requesting == .zsh ? safe.map { $0.replacing(":", with: #"\:"#) } : safe
        }
    }
}

/// What may be offered at the Tab key of what others have named: users name their monitors as they like, and a shell may
/// run what stands in a word.
enum CompletionCandidate {
    /// Whether a word has only letters and digits of ASCII and marks that mean nothing to bash, zsh and fish, and does not
    /// begin like an option. The others have to be typed.
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

/// What the shell offers at the Tab key. Where the daemon says nothing within a second, or the caller may not ask it,
/// there is nothing to offer: an error would be in the way of who types.
private struct Candidates {
    private let path: String

    /// - Parameter words: the command line as it is so far.
    init(_ words: [String]) {
        let option = words.firstIndex(of: "--socket")
        let named = option.flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        path = named ?? SocketPath.mostPrivileged
    }

    /// Those who wait for a decision come first, as the daemon lists them.
    var known: [String] {
        (ask(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)?.authorizations ?? [])
            .map(\.principal)
    }

    /// All but the connection over which this is asked.
    var clients: [String] {
        (ask(AdminInterface.Method.listClients, as: ClientList.self)?.clients ?? [])
            .filter { $0.pid != Int(getpid()) }.map { "\($0.id)" }
    }

    /// The names of the caller's kept monitors.
    var monitors: [String] {
        (ask(LocationInterface.Method.listMonitors, as: ListMonitorsReply.self)?.monitors ?? []).map(\.name)
    }

    /// The names of everybody's kept monitors.
    var allMonitors: [String] {
        Set((ask(AdminInterface.Method.listMonitors, as: AllMonitorsReply.self)?.monitors ?? []).map(\.name)).sorted()
    }

    /// The services of the system that run.
    static var services: [String] {
        let folder = "/sys/fs/cgroup/system.slice"
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return (names ?? []).filter { $0.hasSuffix(".service") }.sorted()
    }

    private func ask<Answer: Decodable>(_ method: String, as type: Answer.Type) -> Answer? {
        guard let waker = Waker() else { return nil }
        return try? VarlinkConnection(path: path, waker: waker, seconds: 1).call(method, as: type, seconds: 1)
    }
}
