import Glibc
@_spi(Programs) import LocationSession
import NIOCore
import NIOPosix
import ProgramTestSupport
import ServiceServer
@_spi(Programs) import SystemSupport
import Testing

/// What a service takes of a daemon.
@Suite(.timeLimit(.minutes(10)))
struct DaemonConnectionTests {
    /// An owner that has what it wanted hears no more.
    @Test func closedSessionDeliversNothing() async throws {
        let folder = try TemporaryFolder()
        let listener = try SocketFile.listener(at: folder("socket"))
        defer { shutdown(listener, Int32(SHUT_RDWR)) }
        // Its last reply, which is an outage too.
        let reply = #"{"parameters":{}}"# + "\0"
        #expect(
            DetachedThread.start(named: "daemon") {
                let connection = accept(listener, nil, nil)
                send(connection, reply, reply.utf8.count, Int32(MSG_NOSIGNAL))
                _ = accept(listener, nil, nil)
                close(connection)
                close(listener)
            })
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let events = ValueRecorder<String>()
        let watch = try await loop.submit {
            let box = NIOLoopBoundBox<ServedWatch?>(nil, eventLoop: loop)
            box.value = ServedWatch(daemon: folder("socket"), call: [0], on: loop) { event in
                if case .answer = event { events.append("answer") } else { events.append("failed") }
                box.value?.close()
            }
            return box
        }.get()
        try await eventually("it has answered", events) { !$0.isEmpty }
        try await loop.submit {}.get()
        #expect(events.values == ["answer"])
        withExtendedLifetime(watch) {}
    }

    /// At its limit it may still end; one byte more is the end of the connection, said once.
    @Test func replyWithoutAnEndIsRefused() async throws {
        let folder = try TemporaryFolder()
        let listener = try SocketFile.listener(at: folder("socket"))
        defer { close(listener) }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let inputs = ValueRecorder<String>()
        let connection = try await loop.submit {
            let connection = DaemonConnection(to: folder("socket"), on: loop, call: [0]) { inputs.append("\($0)") }
            return NIOLoopBound(connection, eventLoop: loop)
        }.get()
        var accepted: UnixSocket?
        try await eventually("it connects") {
            accepted = accepted ?? UnixSocket(acceptedBy: listener)
            return accepted != nil
        }
        let daemon = try #require(accepted).release()
        defer { close(daemon) }

        func write(_ count: Int) async throws -> Bool {
            try await blocking {
                let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                return send(daemon, bytes, count, Int32(MSG_NOSIGNAL)) == count
            }
        }
        // With room for the NUL.
        #expect(try await write(4 << 20 + 1))
        try await eventually("all is read") { SocketFile.isRead(daemon) }
        try await loop.submit {}.get()
        #expect(inputs.values.isEmpty)
        #expect(try await write(1))
        try await eventually("it ends", inputs) { !$0.isEmpty }
        #expect(try await !write(1 << 20), "nothing more is read")
        try await loop.submit {}.get()
        #expect(inputs.values == [#"ended("locationd sends a reply without end")"#])
        withExtendedLifetime(connection) {}
    }
}
