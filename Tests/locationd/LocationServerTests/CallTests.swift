@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing
import Varlink

@Suite(.timeLimit(.minutes(10)))
struct CallTests {
    @Test func statusIsOneReplyEndedByNUL() async throws {
        try await TestServer.run { server in
            let message = try await server.connect().call(LocationInterface.Method.getStatus)
            #expect(
                message.text
                    == #"{"parameters":{"status":{"accuracy":"full","authorization":"authorizedAlways","#
                    + #""authorizationPending":false,"enabled":true,"source":"stopped"}}}"#)
        }
    }

    @Test func pipelinedCallsAreAnsweredInOrder() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            var bytes: [UInt8] = []
            for number in 0..<100 { bytes += Array("{\"method\":\"a.b.M\(number)\"}\0".utf8) }
            bytes += Array("{\"method\":\"org.locationd.location.GetStatus\"}\0".utf8)
            // In pieces that end anywhere.
            for start in stride(from: 0, to: bytes.count, by: 37) {
                try await client.send(bytes: Array(bytes[start..<min(start + 37, bytes.count)]))
            }
            for _ in 0..<100 {
                #expect(try await client.message().error == "org.varlink.service.InterfaceNotFound")
            }
            #expect(try await client.message().error == nil)
        }
    }

    @Test func callBehindOneThatWaitsIsAnsweredAfterIt() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try server.connect()
            try await client.send(LocationInterface.Method.getLocation)
            try await client.send(LocationInterface.Method.getStatus)
            #expect(await demands.next() == true)
            try server.post(fix: 1)
            let location = try await client.message().parameters(as: LocationReply.self).location
            #expect(location.value.sequence == 101)
            #expect(location.age == 0)
            #expect(try await client.message().parameters(as: StatusReply.self).status.fixAge == 0)
        }
    }

    @Test func onewayCallHasNoReply() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(LocationInterface.Method.getStatus, flags: "\"oneway\":true")
            try await client.send("no.such.Method", flags: "\"oneway\":true")
            try await client.send(LocationInterface.Method.watch, flags: "\"oneway\":true,\"more\":true")
            try await client.send(LocationInterface.Method.getLocation, #"{"timeout":0}"#, flags: "\"oneway\":true")
            try await client.send("org.varlink.service.GetInfo")
            #expect(try await client.message().parameters(as: ServiceDescription.Info.self).version == "1.2.3")
        }
    }

    @Test func watchWithoutMoreIsTold() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let message = try await client.call(LocationInterface.Method.watch)
            #expect(message.text == #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#)
            #expect(try await client.call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test func moreIsAllowedWhereOneReplyComes() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(LocationInterface.Method.getStatus, flags: "\"more\":true")
            let message = try await client.message()
            #expect(message.error == nil)
            #expect(!message.continues)
        }
    }

    @Test func halfClosedClientGetsItsAnswers() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try server.connect()
            try await client.send(LocationInterface.Method.getLocation, #"{"timeout":600}"#)
            try await client.send(LocationInterface.Method.getStatus)
            await client.endWriting()
            #expect(await demands.next() == true)
            // The end of the input has been seen by the time another connection is served.
            _ = try await server.connect().call(LocationInterface.Method.getStatus)
            try server.post(fix: 1)
            let messages = try await client.messagesUntilEnd()
            #expect(messages.count == 2)
            #expect(try messages.first?.parameters(as: LocationReply.self).location.value.sequence == 101)
            #expect(try messages.last?.parameters(as: StatusReply.self).status.fixAge == 0)
        }
    }

    @Test func manyCallsAtOnceAreServedInTurnsToTheLast() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let calls = (0..<1000).map { "a.b.M\($0)" } + ["org.varlink.service.GetInfo"]
            try await client.send(bytes: calls.flatMap { Array("{\"method\":\"\($0)\"}\0".utf8) })
            await client.endWriting()
            let messages = try await client.messagesUntilEnd()
            #expect(messages.count == 1001)
            #expect(messages.dropLast().allSatisfy { $0.error == "org.varlink.service.InterfaceNotFound" })
            #expect(try messages.last?.parameters(as: ServiceDescription.Info.self).version == "1.2.3")
        }
    }

    @Test func halfClosedClientThatAskedNothingIsClosed() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            await client.endWriting()
            #expect(try await client.messagesUntilEnd().isEmpty)
        }
    }

    @Test func closingWhileALocationIsAwaitedEndsTheDemand() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try server.connect()
            try await client.send(LocationInterface.Method.getLocation)
            #expect(await demands.next() == true)
            await client.close()
            #expect(await demands.next() == false)
        }
    }
}
