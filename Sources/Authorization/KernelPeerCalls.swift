import CLinux
import Glibc

/// The kernel's own answers.
package struct KernelPeerCalls: PeerCalls {
    package init() {}

    package func credentials(of socket: Int32) -> Told<PeerCredentials> {
        var peer = clinux_peer()
        guard clinux_peer_credentials(socket, &peer) == 0 else { return Self.silence(errno) }
        return .value(PeerCredentials(pid: peer.pid, uid: peer.uid, gid: peer.gid))
    }

    package func groups(of socket: Int32) -> Told<Set<UInt32>> {
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

    package func process(of socket: Int32) -> Told<ProcessDescriptor> {
        Self.process(clinux_peer_process(socket))
    }

    package func openProcess(_ pid: Int32) -> Told<ProcessDescriptor> {
        Self.process(clinux_open_process(pid))
    }

    package func controlGroup(of process: ProcessDescriptor) -> Told<UInt64> {
        var group: UInt64 = 0
        guard clinux_process_control_group(process.descriptor, &group) == 0 else { return Self.silence(errno) }
        return .value(group)
    }

    private static func process(_ descriptor: Int32) -> Told<ProcessDescriptor> {
        descriptor >= 0 ? .value(ProcessDescriptor(owning: descriptor)) : silence(errno)
    }

    private static func silence<Value>(_ code: Int32) -> Told<Value> {
        code == ENOSYS || code == ENOPROTOOPT ? .unsupported : .failed
    }
}
