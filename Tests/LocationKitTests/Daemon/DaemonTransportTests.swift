import LocationModel
import TestSupport
import Testing

@testable import LocationKit

/// Many managers, one daemon.
@Suite(.timeLimit(.minutes(2)))
struct DaemonTransportTests {
    private static func wish(_ filter: LocationFilter? = LocationFilter(), headings: Bool = false) -> Interest {
        MultiplexerScript.wish(filter, headings: headings, status: true)
    }

    @Test func serviceIsSharedAndForgotten() {
        let path = "/nowhere/\(#function)"
        weak var gone: DaemonTransport?
        do {
            let service = DaemonTransport.at(path)
            #expect(service === DaemonTransport.at(path))
            #expect(service !== DaemonTransport.at(path + "2"))
            gone = service
        }
        #expect(gone == nil)
        #expect(DaemonTransport.at(path).path == path)
    }

    @Test func threeHundredClientsShareThreeConnections() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let thread = ClientThread(named: "kit-hundreds")
        let service = DaemonTransport(path: daemon.path, thread: thread)
        let clients = (0..<300).map { _ in TestClient() }
        for (number, client) in clients.enumerated() {
            switch number % 3 {
            case 0: service.wish(Self.wish(), of: client)
            case 1: service.wish(Self.wish(nil, headings: true), of: client)
            default: service.wish(Self.wish(nil), of: client)
            }
        }
        try await eventually { clients.allSatisfy { $0.connections == 1 && $0.events.count >= 2 } }
        daemon.say(Replies.location(8))
        try await eventually { clients.indices.allSatisfy { clients[$0].locations.count == ($0 % 3 == 0 ? 1 : 0) } }
        #expect(daemon.most <= 3)
        try await eventually { ThreadCount.named("kit-hundreds") == 1 }
        for client in clients { service.wish(Interest(), of: client) }
        try await eventually { daemon.open == 0 }
        try await eventually { ThreadCount.named("kit-hundreds") == 0 }
        #expect(clients.allSatisfy { $0.overlaps == 0 })
    }

    @Test func clientsAreHeldWhileTheyWish() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let service = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-held"))
        let events = Seen<TransportEvent>()
        weak var weakClient: TestClient?
        do {
            let client = TestClient { events.append($0) }
            weakClient = client
            service.wish(Self.wish(nil), of: client)
        }
        try await eventually { events.count == 2 }
        do {
            let client = try #require(weakClient)
            service.wish(Interest(), of: client)
        }
        try await eventually { ThreadCount.named("kit-held") == 0 }
        #expect(weakClient == nil)
    }

    @Test func daemonThatComesBackIsFound() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let service = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-back"))
        let client = TestClient()
        service.wish(Self.wish(LocationFilter(interval: 0.5), headings: true), of: client)
        try await eventually { client.connections == 1 }
        daemon.say(Replies.location(8))
        try await eventually { client.locations == [8] }
        let start = ContinuousClock.now
        daemon.stop()
        try await eventually { !client.failures.isEmpty }
        try daemon.listen()
        try await eventually { client.connections == 2 }
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(client.failures.first == .disconnected)
        daemon.say(Replies.location(8))
        daemon.say(Replies.location(9))
        try await eventually { client.locations == [8, 9] }
        #expect(daemon.calls.count { $0.contains(#""minimumInterval":0.5"#) } == 2)
        service.wish(Interest(), of: client)
        try await eventually { ThreadCount.named("kit-back") == 0 }
    }

    @Test func garbageIsToldAndTriedAgain() async throws {
        let daemon = try LiveDaemon { _, _ in ["[]"] }
        let service = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-garbage"))
        let client = TestClient()
        service.wish(Self.wish(), of: client)
        try await eventually { client.failures.count >= 2 }
        service.wish(Interest(), of: client)
        try await eventually { ThreadCount.named("kit-garbage") == 0 && daemon.open == 0 }
        for failure in client.failures {
            guard case .protocolViolation = failure else {
                Issue.record("\(failure)")
                continue
            }
        }
        #expect(client.connections == 0)
    }

    @Test func refusalIsToldAndTriedAgain() async throws {
        let daemon = try LiveDaemon { _, daemon in
            daemon.accepted > 1
                ? [Replies.status()] : [#"{"error":"org.locationd.location.TooManyClients","parameters":{"limit":9}}"#]
        }
        let service = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-refused"))
        let client = TestClient()
        service.wish(Self.wish(), of: client)
        try await eventually { client.connections == 1 }
        #expect(client.failures == [.tooManyClients(limit: 9)])
        service.wish(Interest(), of: client)
        try await eventually { ThreadCount.named("kit-refused") == 0 }
    }

    @Test func wakeUpComesOnceAndAtTheLastMoment() async throws {
        let service = DaemonTransport(path: "/nowhere", thread: ClientThread(named: "kit-wake"))
        let client = TestClient()
        let other = TestClient()
        let moment = service.now.advanced(bySeconds: 0.02)
        service.wake(client, at: service.now.advanced(bySeconds: 600))
        service.wake(other, at: service.now.advanced(bySeconds: 600))
        service.wake(client, at: moment)
        service.wake(other, at: nil)
        try await eventually { client.wakeUps == 1 }
        #expect(service.now >= moment)
        // No timer is left.
        try await eventually { ThreadCount.named("kit-wake") == 0 }
        #expect(client.wakeUps == 1 && other.wakeUps == 0)
    }

    @Test func wakingHoldsNobody() async throws {
        let service = DaemonTransport(path: "/nowhere", thread: ClientThread(named: "kit-weak"))
        weak var gone: TestClient?
        do {
            let client = TestClient()
            gone = client
            service.wake(client, at: service.now.advanced(bySeconds: 600))
            service.wake(client, at: service.now.advanced(bySeconds: 0.02))
        }
        try await eventually { ThreadCount.named("kit-weak") == 0 }
        #expect(gone == nil)
    }

    @Test func useLeavesNoDescriptorBehind() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let service = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-fds"))
        let before = DescriptorCount.all
        for round in 1...150 {
            let client = TestClient()
            service.wish(Self.wish(), of: client)
            try await eventually { client.connections == 1 }
            service.wish(Interest(), of: client)
            try await eventually { ThreadCount.named("kit-fds") == 0 && daemon.open == 0 }
            #expect(daemon.accepted == round)
        }
        // Other tests have some open for a while.
        try await eventually { DescriptorCount.all < before + 100 }
    }

    @Test func wantOfAThreadIsToldOutsideTheCall() {
        let service = DaemonTransport(path: "/nowhere", thread: ClientThread(named: "kit-no") { _, _ in false })
        let client = TestClient()
        let answers = Seen<LocationError?>()
        service.wish(Self.wish(), of: client)
        _ = service.lastLocation(maximumAge: 0) { result in
            if case .failure(let error) = result { answers.append(error) } else { answers.append(nil) }
        }
        service.wake(client, at: service.now)
        #expect(client.events.isEmpty && answers.values.isEmpty)
        for _ in 1...2 { service.settle() }
        #expect(client.events == [.disconnected(.noThread)])
        #expect(answers.values == [.noThread])
    }
}
