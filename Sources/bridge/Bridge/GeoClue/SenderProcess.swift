import DBus

/// The process that has connected to the bus, as the bus knows it.
struct SenderProcess {
    private let pid: Int
    /// The process itself, where the bus gives it.
    private let descriptor: BusDescriptor?

    /// - Parameter credentials: the reply to `GetConnectionCredentials`.
    /// - Returns: `nil` if they have no process.
    init?(_ credentials: [String: BusValue]) {
        guard case .uint32(let pid)? = credentials["ProcessID"], pid > 1, let pid = Int32(exactly: pid) else {
            return nil
        }
        self.pid = Int(pid)
        if case .descriptor(let descriptor)? = credentials["ProcessFD"] {
            self.descriptor = descriptor
        } else {
            descriptor = nil
        }
    }

    /// Its pid; `nil` if it has ended while another process holds the connection: the number may be another one's now.
    var presentPID: Int? { descriptor?.isReadable == true ? nil : pid }
}
