import Delivery
import Fleet
import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// The built program, killed at any moment while it reports what waits.
@Suite(.timeLimit(.minutes(60))) struct DestinationKillTests {
    /// The reports, and how often the program is killed: 10,000 and 200 with `LOCATIOND_KILLS=200`.
    private static let kills = ProcessInfo.processInfo.environment["LOCATIOND_KILLS"].flatMap { Int($0) } ?? 24
    private static let count = kills * 50
    private static let start = 1_800_000_000

    private static func payload(_ number: Int) -> [UInt8] {
        let time = start + number
        return Array(
            #"{"_id":"\#(number)","_type":"location","acc":5,"lat":50.1,"lon":8.2,"m":2,"t":"t","tid":"an","tst":\#(time)}"#
                .utf8)
    }

    /// The numbers of the reports that a server has accepted, in their order.
    private static func numbers(_ stub: HTTPStub, _ pattern: Regex<(Substring, Substring)>) -> [Int] {
        stub.requests.compactMap { $0.firstMatch(of: pattern).flatMap { Int($0.1) }.map { $0 - start } }
    }

    @Test func killedProgramLosesNothingAndKeepsTheOrder() async throws {
        let folder = try TemporaryFolder()
        let (ownTracks, traccar, home) = (try HTTPStub(), try HTTPStub(), try HTTPStub())
        for stub in [ownTracks, traccar] { stub.always { $0.answer("[]") } }
        let webhook = String(repeating: "a", count: 64)
        home.always { [weak home] connection in
            let isRegistration = home?.requests.last?.contains("/api/mobile_app/registrations") == true
            connection.answer(
                isRegistration ? #"{"webhook_id":"\#(webhook)"}"# : "{}",
                status: isRegistration ? "201 Created" : "200 OK")
        }
        try folder.write("T1", to: "token")
        #expect(chmod(folder("token"), 0o600) == 0)
        try folder.write(
            """
            [outbox]
            drain-rate = 10000
            [[destinations]]
            name = "a"
            url = "owntracks+\(ownTracks.url)"
            [[destinations]]
            name = "b"
            url = "traccar+\(traccar.url)"
            [[destinations]]
            name = "home"
            url = "home-assistant+\(home.url)"
            token-file = "\(folder("token"))"
            """, to: "fleet.toml")
        try await fill(folder("outbox.sqlite"))
        var generator = SystemRandomNumberGenerator()
        func start() throws -> LoggedProcess {
            try LoggedProcess(
                Products.path(of: "locationd-fleet"),
                ["--config", folder("fleet.toml"), "--outbox", folder("outbox.sqlite"), "--daemon", folder("none")])
        }
        for round in 0..<Self.kills {
            // Some answers are lost, or refused for a while.
            if round % 4 == 1 { ownTracks.next { $0.reset() } }
            if round % 4 == 2 { traccar.next { $0.answer("", status: "503 Later", headers: "Retry-After: 1\r\n") } }
            let before = ownTracks.requests.count
            let fleet = try start()
            try await eventually("it sends", details: { fleet.errors }) {
                ownTracks.requests.count > before || ownTracks.requests.count >= Self.count
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...50, using: &generator)))
            fleet.signal(SIGKILL)
            _ = try await blocking { try fleet.wait() }
        }
        let fleet = try start()
        func waiting() async throws -> Bool {
            Self.numbers(ownTracks, /"tst":(\d+)/).last != Self.count
                || Self.numbers(traccar, /timestamp=(\d+)/).last != Self.count
        }
        func isHomeCurrent() -> Bool { home.requests.last?.contains("/api/webhook/\(webhook)") == true }
        try await eventually("all arrive", details: { fleet.errors }) {
            let isWaiting = try await waiting()
            return !isWaiting && isHomeCurrent()
        }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        for (name, numbers) in [
            ("owntracks", Self.numbers(ownTracks, /"tst":(\d+)/)),
            ("traccar", Self.numbers(traccar, /timestamp=(\d+)/)),
        ] {
            #expect(Set(numbers) == Set(1...Self.count), "\(name) loses none")
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 }, "\(name) is in order")
            // One for each kill, and one for each answer that was lost or a refusal.
            #expect(numbers.count - Self.count <= 2 * Self.kills, "\(name) has \(numbers.count - Self.count) copies")
        }
        // It may be killed before it has noted the webhook.
        #expect(home.requests.count { $0.contains("/api/mobile_app/registrations") } <= Self.kills)
        #expect(home.requests.count { $0.contains("/api/webhook/\(webhook)") } >= 1)
        let outbox = try MessageOutbox(path: folder("outbox.sqlite"), limit: 1 << 26)
        for name in ["a", "b", "home"] { #expect(try await outbox.progress(of: name)?.waiting == 0) }
        #expect(try await outbox.report(after: 0, showsNewest: false) == nil)
    }

    /// As if the reports had come while nothing was to be reached.
    private func fill(_ path: String) async throws {
        let outbox = try MessageOutbox(path: path, limit: 1 << 26)
        _ = try await outbox.configure(["a": false, "b": false, "home": true], hasBroker: false)
        _ = try await outbox.insert(
            (1...Self.count).map {
                FleetMessage(
                    topic: "owntracks/anna/boat", kind: .location, isRetained: true, payload: Self.payload($0),
                    audience: .destinations)
            })
    }
}
