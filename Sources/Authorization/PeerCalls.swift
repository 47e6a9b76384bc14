import CLinux
import Glibc

/// What the kernel is asked about the process on the other side of a connected Unix socket.
///
/// Each requirement is one call, so that a test can take each away.
package protocol PeerCalls: Sendable {
    /// Who connected (SO_PEERCRED).
    func credentials(of socket: Int32) -> KernelAnswer<PeerCredentials>
    /// The supplementary groups of who connected (SO_PEERGROUPS, Linux 4.13).
    func groups(of socket: Int32) -> KernelAnswer<Set<UInt32>>
    /// The process that connected (SO_PEERPIDFD, Linux 6.5).
    func process(of socket: Int32) -> KernelAnswer<ProcessDescriptor>
    /// The process that has a number now (pidfd_open, Linux 5.3).
    func openProcess(_ pid: Int32) -> KernelAnswer<ProcessDescriptor>
    /// The number of the control group a process is in (PIDFD_GET_INFO, Linux 6.13).
    func controlGroup(of process: ProcessDescriptor) -> KernelAnswer<UInt64>
}

/// The user of a process when it connected.
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

/// What came of a question to the kernel.
package enum KernelAnswer<Value> {
    case value(Value)
    /// This kernel does not have the call: nobody can be told, whoever is asked about.
    case unsupported
    /// The kernel has the call and does not answer; the process may be gone.
    case failed
}

extension KernelAnswer: Sendable where Value: Sendable {}
extension KernelAnswer: Equatable where Value: Equatable {}

/// The kernel's own answers.
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
        // Groups are recorded with the connection: they cannot have become more since the first look.
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
