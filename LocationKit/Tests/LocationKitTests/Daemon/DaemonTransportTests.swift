@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Many managers that share one daemon.
@Suite(.timeLimit(.minutes(10)))
struct DaemonTransportTests {
    private static func interest(_ locations: WatchRequest? = WatchRequest(), headings: Bool = false) -> Interest {
        SharingScript.interest(locations, headings: headings, status: true)
    }

    @Test func transportIsSharedAndReleased() {
        let path = "/nowhere/\(#function)"
        weak var gone: DaemonTransport?
        do {
            let transport = DaemonTransport.shared(at: path)
            #expect(transport === DaemonTransport.shared(at: path))
            #expect(transport !== DaemonTransport.shared(at: path + "2"))
            gone = transport
        }
        #expect(gone == nil)
        #expect(DaemonTransport.shared(at: path).path == path)
    }

    @Test func threeHundredClientsShareThreeConnections() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let thread = ClientThread(named: "kit-hundreds")
        let transport = DaemonTransport(path: daemon.path, thread: thread)
        let clients = (0..<300).map { _ in TestClient() }
        for (number, client) in clients.enumerated() {
            switch number % 3 {
            case 0: transport.setInterest(Self.interest(), of: client)
            case 1: transport.setInterest(Self.interest(nil, headings: true), of: client)
            default: transport.setInterest(Self.interest(nil), of: client)
            }
        }
        try await eventually { clients.allSatisfy { $0.connections == 1 && $0.events.count >= 2 } }
        daemon.send(Replies.location(8))
        try await eventually { clients.indices.allSatisfy { clients[$0].locations.count == ($0 % 3 == 0 ? 1 : 0) } }
        #expect(daemon.most <= 3)
        try await eventually { ThreadCount.named("kit-hundreds") == 1 }
        for client in clients { transport.setInterest(Interest(), of: client) }
        try await eventually { daemon.open == 0 }
        try await eventually { ThreadCount.named("kit-hundreds") == 0 }
        #expect(clients.allSatisfy { $0.overlaps == 0 })
    }

    @Test func clientsAreRetainedWhileTheyHaveAnInterest() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-held"))
        let events = ValueRecorder<TransportEvent>()
        weak var weakClient: TestClient?
        do {
            let client = TestClient { events.append($0) }
            weakClient = client
            transport.setInterest(Self.interest(nil), of: client)
        }
        try await eventually { events.count == 2 }
        do {
            let client = try #require(weakClient)
            transport.setInterest(Interest(), of: client)
        }
        try await eventually { ThreadCount.named("kit-held") == 0 }
        #expect(weakClient == nil)
    }

    @Test func daemonThatComesBackIsFound() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-back"))
        let client = TestClient()
        var seldom = WatchRequest()
        seldom.minimumInterval = 0.5
        transport.setInterest(Self.interest(seldom, headings: true), of: client)
        try await eventually { client.connections == 1 }
        daemon.send(Replies.location(8))
        try await eventually { client.locations == [8] }
        daemon.stop()
        try await eventually { !client.failures.isEmpty }
        try daemon.listen()
        try await eventually { client.connections == 2 }
        #expect(client.failures.first == .disconnected)
        daemon.send(Replies.location(8))
        daemon.send(Replies.location(9))
        try await eventually { client.locations == [8, 9] }
        #expect(daemon.calls.count { $0.contains(#""minimumInterval":0.5"#) } == 2)
        transport.setInterest(Interest(), of: client)
        try await eventually { ThreadCount.named("kit-back") == 0 }
    }

    @Test func garbageIsReportedAndRetried() async throws {
        let daemon = try LiveDaemon { _, _ in ["[]"] }
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-garbage"))
        let client = TestClient()
        transport.setInterest(Self.interest(), of: client)
        try await eventually { client.failures.count >= 2 }
        transport.setInterest(Interest(), of: client)
        try await eventually { ThreadCount.named("kit-garbage") == 0 && daemon.open == 0 }
        for failure in client.failures {
            guard case .protocolViolation = failure else {
                Issue.record("\(failure)")
                continue
            }
        }
        #expect(client.connections == 0)
    }

    @Test func refusalIsReportedAndRetried() async throws {
        let daemon = try LiveDaemon { _, daemon in
            daemon.accepted > 1
                ? [Replies.status()] : [#"{"error":"org.locationd.location.TooManyClients","parameters":{"limit":9}}"#]
        }
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-refused"))
        let client = TestClient()
        transport.setInterest(Self.interest(), of: client)
        try await eventually { client.connections == 1 }
        #expect(client.failures == [.tooManyClients(limit: 9)])
        transport.setInterest(Interest(), of: client)
        try await eventually { ThreadCount.named("kit-refused") == 0 }
    }

    @Test func wakeUpComesOnceAndAtTheLastMoment() async throws {
        let transport = DaemonTransport(path: "/nowhere", thread: ClientThread(named: "kit-wake"))
        let client = TestClient()
        let other = TestClient()
        let moment = transport.now.advanced(bySeconds: 0.02)
        transport.scheduleWakeUp(of: client, at: transport.now.advanced(bySeconds: 600))
        transport.scheduleWakeUp(of: other, at: transport.now.advanced(bySeconds: 600))
        transport.scheduleWakeUp(of: client, at: moment)
        transport.scheduleWakeUp(of: other, at: nil)
        try await eventually { client.wakeUps == 1 }
        #expect(transport.now >= moment)
        // No timer is left.
        try await eventually { ThreadCount.named("kit-wake") == 0 }
        #expect(client.wakeUps == 1 && other.wakeUps == 0)
    }

    @Test func aScheduledWakeUpRetainsNoClient() async throws {
        let transport = DaemonTransport(path: "/nowhere", thread: ClientThread(named: "kit-weak"))
        weak var gone: TestClient?
        do {
            let client = TestClient()
            gone = client
            transport.scheduleWakeUp(of: client, at: transport.now.advanced(bySeconds: 600))
            transport.scheduleWakeUp(of: client, at: transport.now.advanced(bySeconds: 0.02))
        }
        try await eventually { ThreadCount.named("kit-weak") == 0 }
        #expect(gone == nil)
    }

    @Test func useLeavesNoDescriptorBehind() async throws {
        let daemon = try LiveDaemon(answer: Replies.usual)
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: "kit-fds"))
        let before = DescriptorCount.all
        for round in 1...150 {
            let client = TestClient()
            transport.setInterest(Self.interest(), of: client)
            try await eventually { client.connections == 1 }
            transport.setInterest(Interest(), of: client)
            try await eventually { ThreadCount.named("kit-fds") == 0 && daemon.open == 0 }
            #expect(daemon.accepted == round)
        }
        // Other tests have some open for a while.
        try await eventually { DescriptorCount.all < before + 100 }
    }

    @Test func failureToStartAThreadIsReportedOutsideTheCall() {
        let transport = DaemonTransport(path: "/nowhere", thread: ClientThread(named: "kit-no") { _, _ in false })
        let client = TestClient()
        let answers = ValueRecorder<LocationError?>()
        transport.setInterest(Self.interest(), of: client)
        _ = transport.lastLocation(maximumAge: 0) { result in
            if case .failure(let error) = result { answers.append(error) } else { answers.append(nil) }
        }
        transport.scheduleWakeUp(of: client, at: transport.now)
        #expect(client.events.isEmpty && answers.values.isEmpty)
        for _ in 1...2 { transport.deliverPending() }
        #expect(client.events == [.disconnected(.noThread)])
        #expect(answers.values == [.noThread])
    }
}
