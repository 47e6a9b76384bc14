@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

/// Authorizations for an administrator to read.
enum AuthorizationText {
    /// Pending requests come first, in the order of their times; the others follow by name.
    ///
    /// - Parameter name: looks up a user's name.
    static func lines(
        _ list: AuthorizationList, name: (UInt32) -> String? = { UserTable.name(of: $0) }
    ) -> [String] {
        let pending = list.authorizations.filter(\.pending).sorted { one, other in
            switch (one.requestedAt, other.requestedAt) {
            case (let mine?, let theirs?): mine < theirs
            case (let mine, let theirs): mine != nil && theirs == nil
            }
        }
        let settled = list.authorizations.filter { !$0.pending }.sorted { $0.principal < $1.principal }
        var lines = pending.isEmpty && settled.isEmpty ? [nobody] : table(pending + settled)
        if let first = pending.first {
            // Whoever has reduced accuracy and asks for more has a level already.
            let isAboutAccuracy = first.fullAccuracy == true && first.authorization != .notDetermined
            let level = isAboutAccuracy ? " --full --for 1h" : first.level == .whenInUse ? " --when-in-use" : ""
            lines.append(
                "* waits for a decision: `locctl authorize \(first.principal)\(level)` or "
                    + "`locctl deny \(first.principal)`")
        }
        lines += settled.compactMap { otherAccount($0, name) }
        return lines + list.inactive.map { "has no effect on this machine: \($0)" }
    }

    /// A warning that a decision about a former user applies to the present user with the same uid, and what to do.
    private static func otherAccount(_ report: AuthorizationReport, _ name: (UInt32) -> String?) -> String? {
        guard let account = report.account, report.principal.hasPrefix("uid:"),
            let uid = UInt32(report.principal.dropFirst(4))
        else { return nil }
        let present = name(uid)
        guard present != account else { return nil }
        let remedy = "`locctl reset-authorization uid:\(uid)` and `locctl forget-monitor uid:\(uid)`"
        guard let present else { return "uid:\(uid) was authorized as \(account), whose account is gone: \(remedy)" }
        return
            "uid:\(uid) was authorized as \(account) and is \(present) now: \(remedy), unless both accounts belong to one person"
    }

    private static let nobody =
        "There are no requests and no decisions. A user can send a request with `locctl request-authorization`; "
        + "`locctl authorize user:NAME` grants the position without one."

    private static func table(_ reports: [AuthorizationReport]) -> [String] {
        var table = Table([
            "", "WHO", "ASKED", "FOR", "HAS", "DECIDED BY", "DECIDED", "OPEN", "PURPOSE",
        ])
        for report in reports {
            table.add([
                report.pending ? "*" : "", PrincipalText.words(report.principal) + process(of: report),
                report.requestedAt.map(Text.time) ?? "-", requested(by: report), has(report),
                report.decidedBy.map(PrincipalText.words) ?? "-",
                report.decidedAt.map(Text.time) ?? "-", "\(report.connections)", report.purpose ?? "",
            ])
        }
        return table.lines
    }

    /// The process that it is about alone, which has a name that anybody may claim; empty for a decision about all.
    private static func process(of report: AuthorizationReport) -> String {
        guard let process = report.process else { return "" }
        return ", process \(process)" + (report.program.map { " “\($0.sanitizedAsClaim())”" } ?? "")
    }

    private static func requested(by report: AuthorizationReport) -> String {
        guard let level = report.level else { return "-" }
        return words(level) + (report.fullAccuracy == true ? ", full accuracy" : "")
    }

    private static func has(_ report: AuthorizationReport) -> String {
        words(report.authorization, report.accuracy)
            + (report.remaining.map { ", for \(Text.duration($0))" } ?? "")
            + (report.process == nil ? "" : ", until it ends")
    }

    private static func words(_ level: AuthorizationReport.Level) -> String {
        switch level {
        case .whenInUse: "when in use"
        case .always: "always"
        }
    }

    /// The accuracy is shown only if the position is granted.
    static func words(_ authorization: AuthorizationStatus, _ accuracy: AccuracyAuthorization?) -> String {
        let isGiven = authorization == .authorizedAlways || authorization == .authorizedWhenInUse
        return PermissionText.words(authorization) + (isGiven && accuracy == .reduced ? ", reduced accuracy" : "")
    }

    /// What applies to a principal now, in one line.
    static func outcome(_ change: AuthorizationChange, _ what: String) -> String {
        let connections =
            switch change.connections {
            case 0: ""
            case 1: "; 1 open connection was updated"
            default: "; \(change.connections) open connections were updated"
            }
        return "\(PrincipalText.words(change.principal)) \(what)\(connections)"
    }
}
