import ProgramTestSupport

extension GPSD {
    /// Starts gpsd without -n: a receiver sleeps until somebody asks. Fails if there is no gpsd.
    static func started(receivers: [Receiver] = []) async throws -> GPSD {
        try await started(receivers.map(\.path))
    }

    static func started(_ devices: [String]) async throws -> GPSD {
        try await blocking { try GPSD(devices, opensAtOnce: false) }
    }

    func add(_ receiver: Receiver) async throws {
        try await blocking { [self] in try add(receiver.path) }
    }

    /// Waits until gpsd's end of so many connections is open: established, or ended by the client only. Its own count
    /// of clients is not asked, which holds for a gpsd that opens its receivers at once.
    func clients(become count: Int) async throws {
        try await eventually("gpsd has \(count) clients") {
            LoopbackPort.sockets(on: port, in: [.established, .closeWait]) == count
        }
    }
}
