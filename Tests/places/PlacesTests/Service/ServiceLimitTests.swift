import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import ServiceServer
import Testing
import Varlink

@testable import locationd_places

/// Nobody takes more than a share, and nobody's trouble is another's.
@Suite(.timeLimit(.minutes(10)))
struct ServiceLimitTests {
    private func limit(of reply: Reply) throws -> Int? {
        guard reply.error == PlacesInterface.Failure.busy else { return nil }
        return try reply.parameters(as: Explained.self).limit
    }

    @Test func connectionsAreLimited() async throws {
        try await ServiceBench.run {
            $0.limits.clients = 3
            $0.limits.clientsPerUser = 2
            $0.users = [7, 7, 7, 8, 9, 8]
        } _: { bench in
            var clients: [ServiceClient] = []
            // Each is let in before the next one comes, for they are told apart by their order.
            for limit in [nil, nil, 2, nil, 3] {
                let client = try bench.connect()
                client.send(ServiceClient.reverse)
                let reply = try await client.reply()
                #expect(try self.limit(of: reply) == limit)
                #expect((reply.error == nil) == (limit == nil))
                if limit != nil { #expect(try await client.next() == nil) }
                clients.append(client)
            }
            clients[0].end()
            try await eventually("the place is free") {
                let client = try bench.connect()
                client.send(ServiceClient.reverse)
                return try await client.reply().error == nil
            }
        }
    }

    @Test func waitingCallsAreLimited() async throws {
        let gate = AnswerGate()
        try await ServiceBench.run {
            $0.limits.calls = 3
            $0.limits.callsPerUser = 2
            $0.users = [7, 7, 7, 8, 9]
            $0.offline = ScriptedPlaces { _ in
                await gate.pass()
                return .success([.berlin])
            }
        } _: { bench in
            var clients: [ServiceClient] = []
            for (limit, waiting) in [(nil, 1), (nil, 2), (2, 2), (nil, 3), (3, 3)] {
                let client = try bench.connect()
                client.send(ServiceClient.reverse)
                if let limit { #expect(try self.limit(of: try await client.reply()) == limit) }
                try await eventually("\(waiting) calls wait") { gate.waiting == waiting }
                clients.append(client)
            }
            gate.open()
            for index in [0, 1, 3] { #expect(try await clients[index].reply().error == nil) }
            // Who was refused may try again.
            for index in [2, 4] {
                clients[index].send(ServiceClient.reverse)
                #expect(try await clients[index].reply().error == nil)
            }
        }
    }

    private static func reverse(for user: UInt32) -> String {
        ServiceClient.request("ReverseGeocode", "{\"latitude\":52.5,\"longitude\":13.5,\"user\":\(user)}")
    }

    /// The pages' calls come from one user, and count as those of the users who have the pages open.
    @Test func callsOnBehalfOfOneUserTakeNothingFromAnother() async throws {
        let gate = AnswerGate()
        try await ServiceBench.run {
            $0.limits.requestsPerSecond = 10
            $0.limits.clientsPerUser = 4
            $0.limits.callsPerUser = 2
            ($0.users, $0.trusted) = ([990], [990])
            $0.offline = ScriptedPlaces { _ in
                await gate.pass()
                return .success([.berlin])
            }
        } _: { bench in
            var (clients, busy): ([ServiceClient], Int) = ([], 0)
            for number in 0..<40 {
                let client = try bench.connect()
                client.send(Self.reverse(for: 7))
                if number >= 2 {
                    #expect(try self.limit(of: try await client.reply()) != nil)
                    busy += 1
                } else {
                    try await eventually("\(number + 1) calls wait") { gate.waiting == number + 1 }
                }
                clients.append(client)
            }
            #expect(busy == 38)
            let other = try bench.connect()
            other.send(Self.reverse(for: 8))
            try await eventually("the other user's call is served") { gate.waiting == 3 }
            gate.open()
            #expect(try await other.reply().error == nil)
            for client in clients[..<2] { #expect(try await client.reply().error == nil) }
        }
    }

    @Test func onlyTrustedCallersNameAnother() async throws {
        try await ServiceBench.run {
            ($0.users, $0.trusted) = ([7], [990])
        } _: { bench in
            let client = try bench.connect()
            client.send(Self.reverse(for: 8))
            #expect(try await client.reply().error == "org.varlink.service.PermissionDenied")
            client.send(Self.reverse(for: 7))
            #expect(try await client.reply().error == "org.varlink.service.PermissionDenied")
            client.send(ServiceClient.reverse)
            #expect(try await client.reply().error == nil)
        }
    }

    @Test(arguments: ["garbage", "[]", "{\"method\":7}", "{\"method\":\"a.b\",\"parameters\":[]}", "\u{1}"])
    func whatIsNoRequestEndsTheConnection(text: String) async throws {
        try await ServiceBench.run { bench in
            let client = try bench.connect()
            client.send(text + "\0" + ServiceClient.reverse)
            let messages = try await client.rest()
            #expect(messages.count == 1)
            #expect(messages.first?.contains("org.varlink.service.InvalidParameter") == true)
            #expect(try await bench.connect().call("Geocode", "{\"text\":\"a\"}").error == nil)
        }
    }

    @Test func longestRequestIsServedAndALongerOneIsNot() async throws {
        try await ServiceBench.run { bench in
            let head = "{\"method\":\"org.locationd.places.Geocode\",\"parameters\":{\"text\":\"a\",\"x\":\""
            let client = try bench.connect()
            client.send(head + String(repeating: "x", count: 65_536 - head.utf8.count - 3) + "\"}}\0")
            #expect(try await client.reply().error == nil)
            let other = try bench.connect()
            other.send(head + String(repeating: "x", count: 65_537 - head.utf8.count - 3) + "\"}}\0")
            let messages = try await other.rest()
            #expect(messages.count == 1)
            #expect(messages.first?.contains("\"parameter\":\"request\"") == true)
        }
    }

    /// Bytes without sense, from a fixed seed.
    @Test func garbageHurtsNobody() async throws {
        var chance = SeededGenerator(seed: 7)
        try await ServiceBench.run { bench in
            let honest = try bench.connect()
            for _ in 0..<200 {
                let client = try bench.connect()
                let bytes = (0..<Int.random(in: 1...400, using: &chance)).map { _ in
                    UInt8.random(in: 0...127, using: &chance)
                }
                client.send(String(decoding: bytes, as: UTF8.self) + "\0")
                client.endWriting()
                let messages = try await client.rest()
                #expect(messages.allSatisfy { $0.contains("\"error\":\"org.varlink.service.") })
            }
            #expect(try await honest.call("Geocode", "{\"text\":\"a\"}").error == nil)
        }
    }

    @Test func tenThousandConnectionsLeaveNothing() async throws {
        try await ServiceBench.run { bench in
            // Once, so that all is there that is made by the first one.
            _ = try await bench.connect().call("Geocode", "{\"text\":\"a\"}")
            try await eventually("the first is gone") { bench.time.waiting.isEmpty }
            let before = DescriptorCount.all
            for number in 1...10_000 {
                let client = try bench.connect()
                if number % 100 == 0 { #expect(try await client.call("Geocode", "{\"text\":\"a\"}").error == nil) }
                if number % 7 == 0 { client.send("{\"method\":") }
            }
            try await eventually("all are gone") { bench.time.waiting.isEmpty }
            // Other tests have descriptors too.
            try await eventually("the descriptors are given back") { DescriptorCount.all < before + 500 }
        }
    }
}
