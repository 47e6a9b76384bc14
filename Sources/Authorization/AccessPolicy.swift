package import LocationModel

/// Who may know the position, and who may administer: uid 0, the daemon's own user and the members of one group.
package struct AccessPolicy: Sendable, Hashable {
    package let daemonUID: UInt32
    /// The trusted group; `nil` if the system has no group of the configured name.
    package let group: UInt32?
    package let groupName: String

    package init(daemonUID: UInt32, group: UInt32?, groupName: String) {
        self.daemonUID = daemonUID
        self.group = group
        self.groupName = groupName
    }

    package func authorization(of principal: Principal) -> AuthorizationStatus {
        isTrusted(principal) ? .authorizedAlways : .notDetermined
    }

    package func mayAdminister(_ principal: Principal) -> Bool {
        isTrusted(principal)
    }

    /// Users who are spared the limit of connections, so that nobody can lock the administrator out.
    package func isSparedLimits(_ principal: Principal) -> Bool {
        principal.uid == 0 || principal.uid == daemonUID
    }

    /// What a client that may not know is told to do.
    package var explanation: String {
        "only root, the daemon's user and members of the group \(groupName) may know the position; "
            + "an administrator can add you with `adduser USER \(groupName)`, which takes effect at the next login"
    }

    private func isTrusted(_ principal: Principal) -> Bool {
        principal.uid == 0 || principal.uid == daemonUID || group.map(principal.groups.contains) == true
    }
}
