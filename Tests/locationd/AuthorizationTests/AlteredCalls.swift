import Authorization
import Glibc

/// The kernel's answers, but for calls that an older kernel would not have, or that fail.
struct AlteredCalls: PeerCalls {
    enum Call: CaseIterable {
        case credentials, groups, process, openProcess, controlGroup
    }

    var removed: Set<Call> = []
    var failing: Set<Call> = []
    /// The control group that every process is in; `nil` for the true one.
    var group: UInt64?
    private let kernel = KernelPeerCalls()

    init(removed: Set<Call> = [], failing: Set<Call> = [], group: UInt64? = nil) {
        self.removed = removed
        self.failing = failing
        self.group = group
    }

    func credentials(of socket: Int32) -> KernelAnswer<PeerCredentials> {
        answer(.credentials) { kernel.credentials(of: socket) }
    }

    func groups(of socket: Int32) -> KernelAnswer<Set<UInt32>> {
        answer(.groups) { kernel.groups(of: socket) }
    }

    func process(of socket: Int32) -> KernelAnswer<ProcessDescriptor> {
        answer(.process) { kernel.process(of: socket) }
    }

    func openProcess(_ pid: Int32) -> KernelAnswer<ProcessDescriptor> {
        answer(.openProcess) { kernel.openProcess(pid) }
    }

    func controlGroup(of process: ProcessDescriptor) -> KernelAnswer<UInt64> {
        answer(.controlGroup) { group.map { .value($0) } ?? kernel.controlGroup(of: process) }
    }

    private func answer<Value>(_ call: Call, _ kernel: () -> KernelAnswer<Value>) -> KernelAnswer<Value> {
        if failing.contains(call) { return .failed }
        return removed.contains(call) ? .unsupported : kernel()
    }
}
