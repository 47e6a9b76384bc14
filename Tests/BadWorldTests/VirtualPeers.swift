import Authorization

/// The kernel's word on who a client is; the descriptor's number is the user's.
struct VirtualPeers: PeerCalls {
    func credentials(of socket: Int32) -> Told<PeerCredentials> {
        .value(PeerCredentials(pid: 1000 + socket, uid: UInt32(socket), gid: UInt32(socket)))
    }

    func groups(of socket: Int32) -> Told<Set<UInt32>> {
        .value(UInt32(socket) == ExpectedPermissions.member ? [ExpectedPermissions.group] : [])
    }

    func process(of socket: Int32) -> Told<ProcessDescriptor> { .unsupported }
    func openProcess(_ pid: Int32) -> Told<ProcessDescriptor> { .value(ProcessDescriptor(owning: -1)) }
    func controlGroup(of process: ProcessDescriptor) -> Told<UInt64> { .unsupported }
}

/// Processes whose end the world tells.
final class VirtualProcesses: ProcessEnds {
    /// The number the daemon gave the one that connected last.
    private(set) var last = 0

    func watch(_ process: ProcessDescriptor, as number: Int) -> Bool {
        last = number
        return true
    }
}
