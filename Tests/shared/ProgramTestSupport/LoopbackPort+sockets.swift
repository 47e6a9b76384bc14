/// TCP on this machine, by the kernel's table of sockets.
extension LoopbackPort {
    /// The states of a socket, as `/proc/net/tcp` has them.
    package enum SocketState: String, Sendable {
        case established = "01"
        /// The other end alone has closed.
        case closeWait = "08"
        case listening = "0A"
    }

    /// How many sockets whose near end is the port are in these states.
    package static func sockets(on port: UInt16, in states: Set<SocketState>) -> Int {
        let digits = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        // The second column is the near end's address, the fourth the state.
        return text(of: "/proc/net/tcp").split(separator: "\n").count { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[1].hasSuffix(suffix)
                && SocketState(rawValue: String(columns[3])).map(states.contains) == true
        }
    }

    package static func isListening(_ port: UInt16) -> Bool { sockets(on: port, in: [.listening]) > 0 }
}
