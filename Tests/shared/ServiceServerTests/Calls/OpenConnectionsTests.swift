import NIOCore
import NIOEmbedded
import ProgramTestSupport
import ServiceServer
import Testing

/// When a service has nobody, by a clock that the tests set.
@Suite struct OpenConnectionsTests {
    private let loop = EmbeddedEventLoop()
    private let idle = ValueRecorder<Int64>()

    private func begun(after seconds: Double? = 10) -> OpenConnections {
        let connections = OpenConnections(after: seconds, on: loop)
        connections.begin { [idle, loop] in idle.append(Int64(loop.now.uptimeNanoseconds / 1_000_000_000)) }
        return connections
    }

    /// A connection that is open.
    private func connect(_ connections: OpenConnections) -> EmbeddedChannel {
        let channel = EmbeddedChannel(loop: loop)
        connections.add(channel)
        return channel
    }

    @Test func nobodyComes() {
        let connections = begun()
        loop.advanceTime(by: .seconds(9))
        #expect(idle.values.isEmpty)
        loop.advanceTime(by: .seconds(1))
        #expect(idle.values == [10])
        loop.advanceTime(by: .hours(1))
        #expect(idle.count == 1, "once")
        withExtendedLifetime(connections) {}
    }

    @Test func timePassesOnlyOnceItListens() throws {
        let connections = OpenConnections(after: 10, on: loop)
        loop.advanceTime(by: .seconds(100))
        try connect(connections).close().wait()
        loop.advanceTime(by: .seconds(100))
        connections.begin { [idle] in idle.append(0) }
        loop.advanceTime(by: .seconds(9))
        #expect(idle.values.isEmpty)
        loop.advanceTime(by: .seconds(1))
        #expect(idle.count == 1)
    }

    @Test func openConnectionKeepsItUp() throws {
        let connections = begun()
        loop.advanceTime(by: .seconds(9))
        let channels = (0..<3).map { _ in connect(connections) }
        loop.advanceTime(by: .hours(24))
        try channels[0].close().wait()
        try channels[2].close().wait()
        loop.advanceTime(by: .seconds(100))
        #expect(idle.values.isEmpty)
        try channels[1].close().wait()
        loop.advanceTime(by: .seconds(5))
        try connect(connections).close().wait()
        loop.advanceTime(by: .seconds(9))
        #expect(idle.values.isEmpty, "the last one counts")
        loop.advanceTime(by: .seconds(1))
        #expect(idle.count == 1)
    }

    /// Whoever has a link finds the service that knows it.
    @Test(arguments: [false, true])
    func invitationKeepsItUp(othersCome: Bool) throws {
        let connections = begun()
        loop.advanceTime(by: .seconds(9))
        connections.expectConnection(within: 60)
        if othersCome { try connect(connections).close().wait() }
        loop.advanceTime(by: .seconds(59))
        #expect(idle.values.isEmpty)
        loop.advanceTime(by: .seconds(1))
        #expect(idle.values == [69])
    }

    @Test func withoutATimeItStaysUp() throws {
        let connections = begun(after: nil)
        try connect(connections).close().wait()
        connections.expectConnection(within: 1)
        loop.advanceTime(by: .hours(1000))
        #expect(idle.values.isEmpty)
    }
}
