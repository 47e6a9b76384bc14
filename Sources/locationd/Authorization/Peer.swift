/// The other side of a connection: its principal, and the process whose end ends the connection.
///
/// Every part comes from the kernel; if a call that the kernel supports fails, there is no peer. A connection outlives
/// the process that made it if a child inherits the socket or it is passed on, so the owner of a connection watches
/// ``process`` and closes the connection when it ends.
package struct Peer: Sendable {
    package let principal: Principal
    package let process: ProcessDescriptor

    /// Identifies the peer of a Unix socket.
    ///
    /// - Returns: `nil` if the connection is to be refused: the kernel cannot name the user, the process is gone, or a
    ///   call has failed. If the kernel does not report units, the principal has none.
    package static func identify(
        socket: Int32, calls: any PeerCalls = KernelPeerCalls(), tree: ControlGroupTree
    ) -> Peer? {
        guard case .value(let user) = calls.credentials(of: socket), user.uid != Principal.overflowUID,
            case .value(let groups) = calls.groups(of: socket)
        else { return nil }
        let process: ProcessDescriptor
        let unit: String?
        switch calls.process(of: socket) {
        case .value(let own):
            guard case .value(let reported) = self.unit(of: own, calls: calls, tree: tree) else { return nil }
            process = own
            unit = reported
        case .unsupported:
            guard case .value(let opened) = calls.openProcess(user.pid) else { return nil }
            process = opened
            // The process may be gone and its pid reused: a rule about the new process's unit must not apply here.
            unit = nil
        case .failed:
            return nil
        }
        return Peer(
            principal: Principal(uid: user.uid, pid: user.pid, groups: groups.union([user.gid]), unit: unit),
            process: process)
    }

    private static func unit(
        of process: ProcessDescriptor, calls: any PeerCalls, tree: ControlGroupTree
    ) -> KernelAnswer<String?> {
        switch calls.controlGroup(of: process) {
        case .value(let group):
            switch tree.unit(of: group) {
            case .value(let unit): .value(unit)
            case .unsupported: .value(nil)
            case .failed: .failed
            }
        case .unsupported: .value(nil)
        case .failed: .failed
        }
    }
}
