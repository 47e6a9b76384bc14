import CLinux
import Glibc

/// The system calls that identify the process on the other side of a connected Unix socket.
///
/// One method for each kernel feature, so that a test can remove each.
package protocol PeerCalls: Sendable {
    /// The credentials of the process that connected (SO_PEERCRED).
    func credentials(of socket: Int32) -> KernelAnswer<PeerCredentials>
    /// The supplementary groups of the process that connected (SO_PEERGROUPS, Linux 4.13).
    func groups(of socket: Int32) -> KernelAnswer<Set<UInt32>>
    /// The process that connected (SO_PEERPIDFD, Linux 6.5).
    func process(of socket: Int32) -> KernelAnswer<ProcessDescriptor>
    /// The process that has a pid now (pidfd_open, Linux 5.3).
    func openProcess(_ pid: Int32) -> KernelAnswer<ProcessDescriptor>
    /// The id of a process's control group (PIDFD_GET_INFO, Linux 6.13).
    func controlGroup(of process: ProcessDescriptor) -> KernelAnswer<UInt64>
}

/// The credentials of a process when it connected.
package struct PeerCredentials: Sendable, Hashable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32

    package init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }
}

/// The result of a system call.
package enum KernelAnswer<Value> {
    case value(Value)
    /// This kernel does not have the call, for any process.
    case unsupported
    /// The kernel has the call and it failed; the process may be gone.
    case failed
}

extension KernelAnswer: Sendable where Value: Sendable {}
extension KernelAnswer: Equatable where Value: Equatable {}

/// The system calls of this kernel.
package struct KernelPeerCalls: PeerCalls {
    package init() {}

    package func credentials(of socket: Int32) -> KernelAnswer<PeerCredentials> {
        var peer = clinux_peer()
        guard clinux_peer_credentials(socket, &peer) == 0 else { return Self.silence(errno) }
        return .value(PeerCredentials(pid: peer.pid, uid: peer.uid, gid: peer.gid))
    }

    package func groups(of socket: Int32) -> KernelAnswer<Set<UInt32>> {
        var groups = [UInt32](repeating: 0, count: 64)
        var count = clinux_peer_groups(socket, &groups, Int32(groups.count))
        if count > groups.count {
            groups = Array(repeating: 0, count: Int(count))
            count = clinux_peer_groups(socket, &groups, Int32(groups.count))
        }
        guard count >= 0 else { return Self.silence(errno) }
        // The groups are recorded with the connection, so there cannot be more than at the first call.
        guard count <= groups.count else { return .failed }
        return .value(Set(groups.prefix(Int(count))))
    }

    package func process(of socket: Int32) -> KernelAnswer<ProcessDescriptor> {
        Self.process(clinux_peer_process(socket))
    }

    package func openProcess(_ pid: Int32) -> KernelAnswer<ProcessDescriptor> {
        Self.process(clinux_open_process(pid))
    }

    package func controlGroup(of process: ProcessDescriptor) -> KernelAnswer<UInt64> {
        var group: UInt64 = 0
        guard clinux_process_control_group(process.descriptor, &group) == 0 else { return Self.silence(errno) }
        return .value(group)
    }

    private static func process(_ descriptor: Int32) -> KernelAnswer<ProcessDescriptor> {
        descriptor >= 0 ? .value(ProcessDescriptor(owning: descriptor)) : silence(errno)
    }

    private static func silence<Value>(_ code: Int32) -> KernelAnswer<Value> {
        code == ENOSYS || code == ENOPROTOOPT ? .unsupported : .failed
    }
}
