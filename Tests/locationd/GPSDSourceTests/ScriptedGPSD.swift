import Glibc
import ProgramTestSupport

/// A place on this machine where a gpsd could listen, and does what the test says.
final class ScriptedGPSD: Sendable {
    private let listener: LoopbackListener

    var port: UInt16 { listener.port }

    /// Takes a port, by default any that is free; until ``listen()`` connections to it are refused.
    init(port: UInt16 = 0) throws {
        listener = try LoopbackListener(port: port, listens: false)
    }

    static func listening() throws -> ScriptedGPSD {
        let gpsd = try ScriptedGPSD()
        try gpsd.listen()
        return gpsd
    }

    func listen() throws { try listener.listen() }

    /// The next client.
    func visit(within seconds: Double = 60) async throws -> Visit {
        try await blocking { [self] in
            var wait = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(seconds * 1000)) > 0 else { throw Failure("nobody came within \(seconds) s") }
            let client = accept(listener.descriptor, nil, nil)
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
