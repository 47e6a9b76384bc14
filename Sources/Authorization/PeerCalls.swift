/// What the kernel is asked about the process on the other side of a connected Unix socket.
///
/// Each requirement is one call, so that a test can take each away.
package protocol PeerCalls: Sendable {
    /// Who connected (SO_PEERCRED).
    func credentials(of socket: Int32) -> Told<PeerCredentials>
    /// The supplementary groups of who connected (SO_PEERGROUPS, Linux 4.13).
    func groups(of socket: Int32) -> Told<Set<UInt32>>
    /// The process that connected (SO_PEERPIDFD, Linux 6.5).
    func process(of socket: Int32) -> Told<ProcessDescriptor>
    /// The process that has a number now (pidfd_open, Linux 5.3).
    func openProcess(_ pid: Int32) -> Told<ProcessDescriptor>
    /// The number of the control group a process is in (PIDFD_GET_INFO, Linux 6.13).
    func controlGroup(of process: ProcessDescriptor) -> Told<UInt64>
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
