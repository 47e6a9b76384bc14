@_spi(Programs) import LocationKit

/// Whether the caller may know the position, why not, and what to do.
enum PermissionText {
    static func words(_ authorization: AuthorizationStatus) -> String {
        switch authorization {
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedWhenInUse: "authorized when in use"
        case .authorizedAlways: "authorized always"
        case .unknown: "unknown to this version"
        }
    }

    /// - Returns: `nil` if the caller gets locations now.
    static func headline(_ callerStatus: CallerStatus) -> String? {
        switch callerStatus.status.authorization {
        case .notDetermined where callerStatus.status.authorizationPending:
            "You may not know the position: your request is pending."
        case .notDetermined: "You may not know the position: there is no decision yet (not determined)."
        case .restricted where rule(in: callerStatus.status.reason) != nil:
            "You may not know the position: the policy forbids it (restricted)."
        case .restricted: "You may not know the position (restricted)."
        case .denied: "You may not know the position: it was denied."
        case .authorizedWhenInUse, .authorizedAlways:
            callerStatus.isSuspended
                ? "You may not know the position now (\(words(callerStatus.status.authorization)))." : nil
        case .unknown: "You may not know the position, for a reason that is unknown to this version."
        }
    }

    /// What to do next, unless the reason says it; empty if the caller gets locations now.
    static func steps(_ callerStatus: CallerStatus) -> [String] {
        let reason = callerStatus.status.reason
        let decision =
            saysWhoDecides(reason)
            ? [] : ["an administrator allows it by `sudo locctl authorize \(PrincipalText.caller)`"]
        switch callerStatus.status.authorization {
        case .notDetermined where callerStatus.status.authorizationPending, .denied: return decision
        case .notDetermined: return ["`locctl request-authorization` requests it"] + decision
        case .restricted:
            guard let rule = rule(in: reason) else { return [] }
            return [
                "an administrator can change line \(rule.line): `sudoedit \(rule.file) && sudo locctl reload`"
            ]
        case .authorizedWhenInUse, .authorizedAlways, .unknown: return []
        }
    }

    /// The daemon's advice is better, because it knows whether the decision is about a unit.
    private static func saysWhoDecides(_ reason: String?) -> Bool {
        (reason ?? "").split(separator: "`").contains { $0.hasPrefix("sudo locctl authorize ") }
    }

    /// The rule of the policy that a reason names as `FILE:LINE`.
    private static func rule(in reason: String?) -> (file: Substring, line: Substring)? {
        for word in (reason ?? "").split(separator: " ") where word.hasPrefix("/") {
            let parts = word.split(separator: ":")
            if parts.count >= 2, Int(parts[1]) != nil { return (parts[0], parts[1]) }
        }
        return nil
    }
}

extension ServiceStatus {
    /// Whether the position is granted; with "when in use" it may still be withheld at present.
    var mayKnow: Bool { authorization == .authorizedAlways || authorization == .authorizedWhenInUse }

    /// Ends the command if the position is not granted, although the watch would stay open. With "when in use" the
    /// command continues, because locations resume with the user's session.
    func requirePermission() throws(LocationError) {
        guard !mayKnow else { return }
        throw .unauthorized(authorization, reason: reason ?? "the daemon gives no reason")
    }
}
