import CLinux

/// Who a client is, as the kernel recorded it when the connection was made. Nothing the client says counts.
package struct Principal: Sendable, Hashable, CustomStringConvertible {
    package let uid: UInt32
    package let pid: Int32
    /// The primary group and all supplementary ones.
    package let groups: Set<UInt32>
    /// The system's unit the process belongs to; `nil` if it belongs to none, or the kernel does not tell.
    package let unit: String?

    package init(uid: UInt32, pid: Int32, groups: Set<UInt32>, unit: String? = nil) {
        self.uid = uid
        self.pid = pid
        self.groups = groups
        self.unit = unit
    }

    /// The uid of a user the kernel cannot name in this namespace ("nobody"): it may be anyone, so it is no one.
    package static let overflowUID: UInt32 = 65_534

    /// Asks the kernel who is on the other side of a connected Unix socket.
    ///
    /// - Returns: `nil` if it does not say, or says "nobody".
    package init?(peerOf descriptor: Int32) {
        var peer = clinux_peer()
        guard clinux_peer_credentials(descriptor, &peer) == 0, peer.uid != Self.overflowUID,
            let groups = Self.groups(peerOf: descriptor)
        else { return nil }
        self.init(uid: peer.uid, pid: peer.pid, groups: groups.union([peer.gid]))
    }

    private static func groups(peerOf descriptor: Int32) -> Set<UInt32>? {
        var groups = [UInt32](repeating: 0, count: 64)
        var count = clinux_peer_groups(descriptor, &groups, Int32(groups.count))
        if count > groups.count {
            groups = Array(repeating: 0, count: Int(count))
            count = clinux_peer_groups(descriptor, &groups, Int32(groups.count))
        }
        guard count >= 0, count <= groups.count else { return nil }
        return Set(groups.prefix(Int(count)))
    }

    package var description: String { subject.description }
}
