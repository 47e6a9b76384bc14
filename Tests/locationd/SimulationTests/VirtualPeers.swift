import Authorization

/// What the kernel reports of a client; the descriptor's number contains the user's.
struct VirtualPeers: PeerCalls {
    /// No two connections ever have the same, so that one that is used after its end is noticed.
    static func descriptor(of uid: UInt32, _ number: Int) -> Int32 { Int32(number * 10_000) + Int32(uid) }

    private func user(_ socket: Int32) -> UInt32 { UInt32(socket % 10_000) }

    func credentials(of socket: Int32) -> KernelAnswer<PeerCredentials> {
        .value(PeerCredentials(pid: 1000, uid: user(socket), gid: user(socket)))
    }

    func groups(of socket: Int32) -> KernelAnswer<Set<UInt32>> {
        .value(user(socket) == ExpectedPermissions.member ? [ExpectedPermissions.group] : [])
    }

    func process(of socket: Int32) -> KernelAnswer<ProcessDescriptor> { .unsupported }
    func openProcess(_ pid: Int32) -> KernelAnswer<ProcessDescriptor> { .value(ProcessDescriptor(owning: -1)) }
    func controlGroup(of process: ProcessDescriptor) -> KernelAnswer<UInt64> { .unsupported }
}

/// Processes whose end the simulated machine reports.
final class VirtualProcesses: ProcessEnds {
    /// The number the daemon gave the one that connected last.
    private(set) var last = 0

    func watch(_ process: ProcessDescriptor, as number: Int) -> Bool {
        last = number
        return true
    }
}
