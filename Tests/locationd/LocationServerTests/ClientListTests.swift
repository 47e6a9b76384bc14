import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Who is connected, and how one is let go.
@Suite(.timeLimit(.minutes(10)))
struct ClientListTests {
    @Test func clientsAreListed() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(#"{"purpose":"navigation","library":"x\u00071 ”2"}"#, isFirst: true)
            try server.post(fix: 1)
            _ = try await watch.location()
            let control = try server.connect(.control)
            let before = UTCTime.present
            let clients = try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self)
                .clients
            #expect(clients.map(\.id) == [1, 2])
            let first = try #require(clients.first)
            #expect(first.principal == "uid:\(getuid())")
            #expect(first.pid == Int(getpid()))
            #expect(first.socket == .location)
            #expect(first.request == "Watch")
            #expect(first.purpose == "navigation")
            #expect(first.library == #"x\u{7}1 '2"#)
            // The opening, two states and a location.
            #expect(first.sent == 4)
            #expect(first.dropped == 0)
            #expect(!first.behind)
            #expect(abs(first.since.seconds(since: before)) < 600)
            let second = try #require(clients.last)
            #expect(second.socket == .control)
            #expect(second.request == nil)
            #expect(second.purpose == nil)
            #expect(second.library == nil)
        }
    }

    @Test func clientIsDisconnectedByItsNumber() async throws {
        try await TestServer.run { server in
            let victim = try await server.watcher(isFirst: true)
            let other = try await server.watcher()
            let control = try server.connect(.control)
            #expect(try await control.call(AdminInterface.Method.disconnect, #"{"id":1}"#).error == nil)
            #expect(try await victim.messagesUntilEnd().isEmpty)
            let unknown = try await control.call(AdminInterface.Method.disconnect, #"{"id":1}"#)
            #expect(unknown.error == AdminInterface.Failure.noSuchClient)
            #expect(try unknown.explained.id == 1)
            #expect(try await control.call(AdminInterface.Method.disconnect).explained.parameter == "id")
            try server.post(fix: 1)
            #expect(try await other.location().update.location?.value.sequence == 101)
        }
    }

    @Test func whoDisconnectsItselfIsAnsweredFirst() async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            try await control.send(AdminInterface.Method.disconnect, #"{"id":1}"#)
            let messages = try await control.messagesUntilEnd()
            #expect(messages.map(\.text) == [#"{"parameters":{}}"#])
        }
    }
}

extension UTCTime {
    static var present: UTCTime { UTCTime(seconds: Int64(time(nil))) }
}
