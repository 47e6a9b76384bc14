/// The other side of a connection: who it is, and the process whose end is the connection's.
///
/// Every part comes from the kernel; where it has the means and does not answer, there is no peer. A connection
/// outlives the process that made it if a child inherits it or it is handed on, so whoever keeps one watches
/// ``process`` and ends the connection with it.
package struct Peer: Sendable {
    package let principal: Principal
    package let process: ProcessDescriptor

    /// Asks who connected a Unix socket.
    ///
    /// - Returns: `nil` for one who is to be refused: the kernel cannot name the user, the process is gone, or a call
    ///   has failed. A kernel that cannot tell units leaves the principal without one.
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
            guard case .value(let told) = self.unit(of: own, calls: calls, tree: tree) else { return nil }
            process = own
            unit = told
        case .unsupported:
            guard case .value(let opened) = calls.openProcess(user.pid) else { return nil }
            process = opened
            // Who connected may be gone and its number another's: no rule about that one's unit must hold here.
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
