@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Many threads that set interests, call and cancel at random, while the daemon fails now and then.
@Suite(.timeLimit(.minutes(10)))
struct DaemonTransportStressTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func nothingIsLeftBehind(_ seed: UInt64) async throws {
        let daemon = try LiveDaemon { call, daemon in
            // Every seventh call is not answered.
            daemon.calls.count.isMultiple(of: 7) ? nil : Replies.usual(call, daemon)
        }
        let name = "kit-stress-\(seed)"
        let transport = DaemonTransport(path: daemon.path, thread: ClientThread(named: name))
        let clients = (0..<40).map { _ in TestClient() }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: seed * 10 + UInt64(part))
                    for _ in 0..<400 { Self.act(transport, clients, &random) }
                }
            }
        }
        let again = clients[0]
        transport.setInterest(Interest(), of: again)
        let before = again.events.count
        transport.setInterest(SharingScript.interest(SharingScript.locations), of: again)
        try await eventually { again.events.dropFirst(before).contains { $0 != .connected } }
        for client in clients {
            transport.setInterest(Interest(), of: client)
            transport.scheduleWakeUp(of: client, at: nil)
        }
        try await eventually { ThreadCount.named(name) == 0 && daemon.open == 0 }
        for client in clients {
            #expect(client.overlaps == 0)
            #expect(client.locations == client.locations.sorted())
            #expect(Set(client.locations).count == client.locations.count)
            Self.checkOrder(client.events)
        }
    }

    private static func act(
        _ transport: DaemonTransport, _ clients: [TestClient], _ random: inout SeededGenerator
    ) {
        let client = clients[Int.random(in: clients.indices, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: transport.setInterest(Interest(), of: client)
        case 2: transport.setInterest(SharingScript.interest(headings: true), of: client)
        case 3: transport.setInterest(SharingScript.interest(status: true), of: client)
        case 4:
            transport.scheduleWakeUp(
                of: client, at: transport.now.advanced(bySeconds: .random(in: 0..<0.01, using: &random)))
        case 5: transport.lastLocation(maximumAge: 5) { _ in }.cancel()
        case 6:
            let call = transport.requestAuthorization(.always, fullAccuracy: false, purpose: nil) { _, _ in }
            if Bool.random(using: &random) { call.cancel() }
        default:
            let distance = [nil, 1.0, 2].randomElement(using: &random) ?? nil
            transport.setInterest(SharingScript.interest(SharingScript.locations(every: distance)), of: client)
        }
        transport.deliverPending()
    }

    /// A client that has lost the service learns that it is back before it receives anything else.
    private static func checkOrder(_ events: [TransportEvent]) {
        var isLost = true
        for event in events {
            switch event {
            case .connected: isLost = false
            case .disconnected: isLost = true
            default: #expect(!isLost, "\(event)")
            }
        }
    }
}
