import Glibc
@_spi(Programs) import SystemSupport

/// The users whose calls may name another user, in the parameter `user`, on whose behalf they are: limits, and what the
/// service decides by the user, are then that one's.
///
/// Names are looked up once: call it at the start of a service.
package struct TrustedCallers: Sendable, Equatable {
    /// The user of the pages (`locationd-web`), which serve many.
    private static let pages = "locationd-web"

    private let uids: Set<UInt32>

    package init(_ uids: Set<UInt32>) { self.uids = uids }

    /// Root, the service's own user, and that of the pages if this machine has it.
    package static var ofThisMachine: Self {
        Self(Set([0, geteuid()] + [UserTable.uid(of: pages)].compactMap(\.self)))
    }

    package func contains(_ uid: UInt32) -> Bool { uids.contains(uid) }
}
