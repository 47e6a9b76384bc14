@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// What breaks the protocol is answered with an error, then the connection ends; nobody else notices.
@Suite(.timeLimit(.minutes(10)))
struct ViolationTests {
    struct Broken: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            testDescription = name
            self.bytes = bytes
        }

        init(_ name: String, _ text: String) {
            self.init(name, Array(text.utf8) + [0])
        }
    }

    @Test(arguments: [
        Broken("garbage", "GET / HTTP/1.1"),
        Broken("nothing", ""),
        Broken("an array", "[1]"),
        Broken("a number", "1"),
        Broken("no method", "{}"),
        Broken("a method that is no string", #"{"method":1}"#),
        Broken("flags that are no flags", #"{"method":"org.locationd.location.GetStatus","more":"yes"}"#),
        Broken("parameters that are no object", #"{"method":"org.locationd.location.GetStatus","parameters":[]}"#),
        Broken("half an object", #"{"method":"org.locationd.location.GetStatus""#),
        Broken(
            "deep nesting",
            #"{"method":"org.locationd.location.GetStatus","parameters":"# + String(repeating: "[", count: 60_000)),
        Broken("invalid UTF-8", Array(#"{"method":""#.utf8) + [0xC3, 0x28, 0xFF] + Array(#""}"#.utf8) + [0]),
        Broken("an oversized request", Array(repeating: UInt8(ascii: " "), count: 65_537) + [0]),
        Broken("an endless request", Array(repeating: UInt8(ascii: "x"), count: 400_000)),
    ])
    func isAnsweredThenEnds(_ broken: Broken) async throws {
        try await TestServer.run { server in
            let other = try await server.watcher(isFirst: true)
            let client = try server.connect()
            // The server may end the connection before all of it is sent.
            _ = try? await client.sendSome(broken.bytes, within: 30)
            let messages = try await client.messagesUntilEnd()
            #expect(messages.count == 1)
            #expect(messages.first?.error == "org.varlink.service.InvalidParameter")
            #expect(try messages.first?.explained.parameter == "request")
            #expect(try messages.first?.explained.reason?.isEmpty == false)
            try server.post(fix: 1)
            #expect(try await other.location().update.location?.value.sequence == 101)
            #expect(try await server.connect().call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test func requestOfTheGreatestLengthIsServed() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let request = Array(#"{"method":"org.locationd.location.GetStatus"}"#.utf8)
            let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 65_536 - request.count)
            try await client.send(bytes: request + spaces + [0])
            #expect(try await client.message().error == nil)
        }
    }

    @Test func invalidTextInsideParametersIsAWrongParameter() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let head = #"{"method":"org.locationd.location.Watch","more":true,"parameters":{"purpose":""#
            try await client.send(bytes: Array(head.utf8) + [0xFF, 0xFE] + Array(#""}}"#.utf8) + [0])
            let message = try await client.message()
            #expect(message.error == "org.varlink.service.InvalidParameter")
            #expect(try message.explained.reason?.isEmpty == false)
            #expect(try await client.call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test func callsBehindAViolationAreNotServed() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(
                bytes: Array("{\"method\":\"org.locationd.location.GetStatus\"}\0!\0{\"method\":\"a.b\"}\0".utf8))
            let messages = try await client.messagesUntilEnd()
            #expect(messages.map(\.error) == [nil, "org.varlink.service.InvalidParameter"])
        }
    }

    @Test func violationEndsTheWatchAtHand() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try await server.watcher(isFirst: true)
            #expect(await demands.next() == true)
            _ = try? await client.sendSome(Array(repeating: 0x20, count: 400_000), within: 30)
            let messages = try await client.messagesUntilEnd()
            #expect(messages.last?.error == "org.varlink.service.InvalidParameter")
            #expect(messages.last?.continues == false)
            #expect(await demands.next() == false)
        }
    }

    @Test func whoGoesOnSendingAfterABadRequestIsClosed() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(bytes: Array("!\0".utf8))
            #expect(try await client.message().error != nil)
            // Whoever goes on sending is closed all the same.
            let clock = ContinuousClock()
            let start = clock.now
            do {
                while clock.now - start < .seconds(60) {
                    try await client.send(bytes: Array(repeating: 0x20, count: 4096))
                }
                Issue.record("the server goes on taking what is sent")
            } catch is Failure {}
        }
    }

    @Test func ofWhatComesAfterABadRequestOnlySoMuchIsTaken() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(bytes: Array("!\0".utf8))
            #expect(try await client.message().error != nil)
            let nonsense = [UInt8](repeating: 0x20, count: 16_777_216)
            // None at all if the connection has ended meanwhile.
            let sent = (try? await client.sendSome(nonsense, within: 0.3)) ?? 0
            #expect(sent < nonsense.count / 4)
        }
    }
}
