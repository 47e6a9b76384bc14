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

    package var description: String { subject.description }
}
