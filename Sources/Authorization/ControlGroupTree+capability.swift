import Glibc

extension ControlGroupTree {
    /// Whether this machine tells the unit of a process, without which no rule about a unit can hold.
    package static func unitsAreTold(
        calls: any PeerCalls = KernelPeerCalls(), roots: [String] = usualRoots
    ) -> Bool {
        // On a kernel of 32 bits a directory's number is half of its group's.
        guard UInt.bitWidth == 64, ControlGroupTree(roots: roots).isMounted else { return false }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return false
        }
        defer { ends.forEach { close($0) } }
        guard case .value(let process) = calls.process(of: ends[0]),
            case .value = calls.controlGroup(of: process)
        else { return false }
        return true
    }
}
