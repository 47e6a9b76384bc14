import Glibc
import TestSupport

/// A place on this machine where a gpsd could listen, and does what the test says.
final class ScriptedGPSD: Sendable {
    private let descriptor: Int32
    let port: UInt16

    /// Takes a port, by default any that is free; until ``listen()`` connections to it are refused.
    init(port wanted: UInt16 = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw Failure("no port: \(errno)")
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    static func listening() throws -> ScriptedGPSD {
        let gpsd = try ScriptedGPSD()
        try gpsd.listen()
        return gpsd
    }

    func listen() throws {
        guard Glibc.listen(descriptor, 16) == 0 else { throw Failure("not listening: \(errno)") }
    }

    /// The next client.
    func visit(within seconds: Double = 60) async throws -> Visit {
        try await blocking { [self] in
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(seconds * 1000)) > 0 else { throw Failure("nobody came within \(seconds) s") }
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { throw Failure("not accepted: \(errno)") }
            return Visit(descriptor: client)
        }
    }

    /// The next client, brought to where reports are expected.
    func streamingVisit(devices: String...) async throws -> Visit {
        let visit = try await visit()
        try await visit.send(Line.version)
        guard try await visit.line().hasPrefix("?WATCH=") else { throw Failure("no request for reports") }
        let list = devices.map { #"{"class":"DEVICE","path":"\#($0)"}"# }.joined(separator: ",")
        try await visit.send(#"{"class":"DEVICES","devices":[\#(list)]}"#)
        try await visit.send(Line.watch)
        return visit
    }
}
