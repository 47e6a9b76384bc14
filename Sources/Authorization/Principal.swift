/// Who a client is, as the kernel recorded it when the connection was made. Nothing the client says counts.
package struct Principal: Sendable, Hashable, CustomStringConvertible {
    package let uid: UInt32
    package let pid: Int32
    /// The primary group and all supplementary ones.
    package let groups: Set<UInt32>
    /// The system's unit the process belongs to; `nil` if it belongs to none, or the kernel does not tell.
    package let unit: String?
    /// The bridge that the process reads; what goes out there is not for the process alone.
    package private(set) var bridge: Bridge?

    package init(uid: UInt32, pid: Int32, groups: Set<UInt32>, unit: String? = nil) {
        self.uid = uid
        self.pid = pid
        self.groups = groups
        self.unit = unit
    }

    /// The uid of a user the kernel cannot name in this namespace ("nobody"): it may be anyone, so it is no one.
    package static let overflowUID: UInt32 = 65_534

    /// The same process as the reader of a bridge.
    package func reading(_ bridge: Bridge) -> Principal {
        var reader = self
        reader.bridge = bridge
        return reader
    }

    /// The process for itself, if it reads a bridge.
    var reader: Principal? {
        guard bridge != nil else { return nil }
        var reader = self
        reader.bridge = nil
        return reader
    }

    package var description: String { subject.description }
}
