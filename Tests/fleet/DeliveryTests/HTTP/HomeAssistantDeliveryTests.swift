import Fleet
import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
import Testing

@testable import Delivery
@testable import HTTPRequests

/// Home Assistant as it was measured: registrations, webhooks that answer 200 to what they drop, and the home that
/// follows.
@Suite(.timeLimit(.minutes(10))) struct HomeAssistantDeliveryTests {
    private let bench: DestinationBench
    private var server: ScriptedServer { bench.server }
    private let home = Home()

    /// A Home Assistant without a network.
    private final class Home: Sendable {
        struct State {
            var registrations = 0
            /// `nil` answers as a deleted one does.
            var webhook: String?
            var state = "RUNNING"
            var isDisabled = false
            var isAdministrator = true
            var place = (50.0, 8.0)
        }
        let state = Mutex(State())

        func answer(_ request: HTTPRequest) -> HTTPAnswer {
            state.withLock { state in
                let path = String(request.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" })
                let isAuthorized = request.headers.contains("Authorization: Bearer T1")
                if let webhook = path.split(separator: "/").last, path.hasPrefix("/api/webhook/") {
                    return ScriptedServer.answer(200, state.webhook == String(webhook) && !state.isDisabled ? "{}" : "")
                }
                guard isAuthorized else { return ScriptedServer.answer(401) }
                switch path {
                case "/api/mobile_app/registrations":
                    state.registrations += 1
                    let webhook = String(repeating: "\(state.registrations)", count: 64)
                    state.webhook = webhook
                    return ScriptedServer.answer(
                        201, #"{"cloudhook_url":null,"secret":null,"webhook_id":"\#(webhook)"}"#)
                case "/api/config":
                    let (latitude, longitude) = state.place
                    return ScriptedServer.answer(
                        200, #"{"latitude":\#(latitude),"longitude":\#(longitude),"state":"\#(state.state)"}"#)
                case "/api/config/config_entries/entry?domain=mobile_app":
                    let disabler = state.isDisabled ? #""user""# : "null"
                    return ScriptedServer.answer(200, #"[{"title":"van","disabled_by":\#(disabler)}]"#)
                case "/api/services/homeassistant/set_location":
                    guard state.isAdministrator else { return ScriptedServer.answer(401) }
                    let call = (try? JSONSerialization.jsonObject(with: Data(request.body ?? []))) as? [String: Any]
                    state.place = (call?["latitude"] as? Double ?? 0, call?["longitude"] as? Double ?? 0)
                    return ScriptedServer.answer(200, "[]")
                default: return ScriptedServer.answer(404)
                }
            }
        }
    }

    init() throws {
        bench = try DestinationBench()
        bench.secret.withLock { $0 = .token("T1") }
        server.always { [home] in home.answer($0) }
    }

    private func destination(movesHome: Bool = false) throws -> HTTPDestination {
        try bench.destination("home-assistant+https://ha.example:8123") { $0.movesHome = movesHome }
    }

    private func awaitCursor(_ id: Int64) async throws {
        try await eventually("\(id) is delivered", details: { "\(server.paths) \(bench.log.lines)" }) {
            try await bench.cursor() == id
        }
    }

    /// Fails as long as the schedule waits, and lets the time pass.
    private func passPauses(_ seconds: Double, until holds: () async throws -> Bool) async throws {
        var left = seconds
        while try await !holds() {
            try await eventually("it waits") {
                let isOver = try await holds()
                return isOver || bench.time.nextTimer != nil
            }
            guard let pause = bench.time.nextTimer, pause <= left else { return }
            left -= pause
            bench.time.advance(pause)
        }
    }

    @Test func registersOnceAndReportsToTheWebhook() async throws {
        try await bench.run(destination()) { delivery in
            try await bench.insert(11, to: delivery)
            try await awaitCursor(1)
        }
        // The webhook outlives the program.
        try await bench.run(destination()) { delivery in
            try await bench.insert(12, to: delivery)
            try await awaitCursor(2)
        }
        let webhook = "/api/webhook/\(String(repeating: "1", count: 64))"
        #expect(server.paths == ["/api/mobile_app/registrations", webhook, webhook])
        #expect(server.requests.map { $0.headers } == [["Authorization: Bearer T1"], [], []])
        let form = try #require(
            JSONSerialization.jsonObject(with: Data(server.requests[0].body ?? [])) as? [String: Any])
        #expect(
            Set(form.keys) == [
                "device_id", "app_id", "app_name", "app_version", "device_name", "manufacturer", "model", "os_name",
                "os_version", "supports_encryption",
            ])
        #expect(form["device_name"] as? String == "van" && form["supports_encryption"] as? Bool == false)
        #expect((form["os_version"] as? String)?.isEmpty == false)
        let words = bench.log.lines.joined()
        #expect(!words.contains("T1") && !words.contains("1111"), "\(words)")
    }

    @Test func onlyTheNewestLocationIsSent() async throws {
        server.next(ScriptedServer.failure(.failed("away")))
        try await bench.run(destination()) { delivery in
            try await bench.insert(11, to: delivery)
            try await eventually("it fails") { bench.time.nextTimer != nil }
            try await bench.insert(12, 13, to: delivery)
            try await bench.insert(#"{"_type":"transition","event":"enter","lat":1,"lon":2,"tst":13}"#, .event)
            #expect(await delivery.state.waiting == 1)
            bench.time.advance(1)
            try await awaitCursor(3)
            #expect(await delivery.state.waiting == 0)
        }
        #expect(server.paths.count { $0.hasPrefix("/api/webhook") } == 1)
    }

    @Test func emptyAnswerIsNoDelivery() async throws {
        try await bench.run(destination()) { delivery in
            try await bench.insert(11, to: delivery)
            try await awaitCursor(1)
            home.state.withLock { ($0.isDisabled, $0.state) = (true, "STARTING") }
            bench.time.advance(1)
            try await bench.insert(12, to: delivery)
            for pause in [1.0, 2, 4, 8] {
                try await eventually("it waits", details: { "\(String(describing: bench.time.nextTimer))" }) {
                    bench.time.nextTimer.map { abs($0 - pause) < 1e-6 } == true
                }
                #expect(await delivery.state.trouble?.contains("does not take reports of this device") == true)
                bench.time.advance(pause)
            }
            home.state.withLock { $0.isDisabled = false }
            try await passPauses(100) { try await bench.cursor() == 2 }
            try await awaitCursor(2)
        }
        // A page of a proxy that wants a password is none either.
        server.next { _ in
            HTTPAnswer(status: 200, contentType: "text/html", redirection: nil, retryAfter: nil, body: Array("{}".utf8))
        }
        bench.time.advance(1)
        try await bench.run(destination()) { delivery in
            try await bench.insert(13, to: delivery)
            try await eventually("it fails") { await delivery.state.failed == 1 }
            #expect(try await bench.cursor() == 2)
        }
        #expect(home.state.withLock(\.registrations) == 1)
    }

    @Test func deletedRegistrationIsMadeAnewOnceADay() async throws {
        try await bench.run(destination()) { delivery in
            try await bench.insert(11, to: delivery)
            try await awaitCursor(1)
            home.state.withLock { $0.webhook = nil }
            bench.time.advance(1)
            try await bench.insert(12, to: delivery)
            try await passPauses(86_000) { home.state.withLock { $0.registrations > 1 } }
            #expect(home.state.withLock(\.registrations) == 1, "not on the same day")
            home.state.withLock { $0.state = "STARTING" }
            try await passPauses(2000) { home.state.withLock { $0.registrations > 1 } }
            #expect(await delivery.state.trouble == "Home Assistant is starting")
            #expect(home.state.withLock(\.registrations) == 1)
            home.state.withLock { $0.state = "RUNNING" }
            try await passPauses(2000) { try await bench.cursor() == 2 }
            try await awaitCursor(2)
            #expect(home.state.withLock(\.registrations) == 2)
        }
        let forms = server.bodies.filter { $0.contains("device_id") }.map {
            $0.firstMatch(of: /"device_id":"([^"]+)"/)?.1
        }
        #expect(forms.count == 2 && forms[0] == forms[1] && forms[0]?.hasSuffix("-home") == true)
    }

    @Test func disabledRegistrationIsLeftAlone() async throws {
        try await bench.run(destination(movesHome: true)) { delivery in
            try await bench.insert(11, to: delivery)
            try await awaitCursor(1)
            home.state.withLock { $0.isDisabled = true }
            bench.time.advance(90_000)
            try await bench.insert(12, to: delivery)
            try await passPauses(4000) { await delivery.state.trouble?.contains("is disabled") == true }
            #expect(await delivery.state.trouble?.contains("is disabled in Home Assistant; enable it") == true)
            #expect(home.state.withLock(\.registrations) == 1)
        }
    }

    @Test func otherAddressIsRegisteredWithAnew() async throws {
        try await bench.run(destination()) { delivery in
            try await bench.insert(11, to: delivery)
            try await awaitCursor(1)
        }
        try await bench.run(bench.destination("home-assistant+https://other.example")) { delivery in
            try await bench.insert(12, to: delivery)
            try await awaitCursor(2)
        }
        #expect(home.state.withLock(\.registrations) == 2)
        #expect(server.requests.last?.url.hasPrefix("https://other.example/api/webhook/222") == true)
    }

    @Test func missingMobileAppIsTriedLaterAndAWrongTokenIsNot() async throws {
        server.next({ _ in ScriptedServer.answer(404) }, { _ in ScriptedServer.answer(201, #"{"webhook_id":"../x"}"#) })
        try await bench.run(destination()) { delivery in
            try await bench.insert(11, to: delivery)
            try await eventually("it fails") { await delivery.state.trouble?.contains("has no mobile_app") == true }
            bench.time.advance(1)
            try await eventually("it fails") { await delivery.state.trouble?.contains("check url") == true }
            bench.secret.withLock { $0 = .token("other") }
            bench.time.advance(2)
            try await eventually("it stops") { await delivery.state.isStopped }
            #expect(server.requests.count == 3)
        }
    }

    private func rest(_ delivery: HTTPDelivery, from begin: Double, to end: Double, latitude: Double) async throws {
        for seconds in [begin, end] {
            var location = Location(
                coordinate: try #require(Coordinate(latitude: latitude, longitude: 8)),
                monotonicTime: BootInstant(seconds: seconds), source: SourceInformation(name: "gpsd"))
            (location.horizontalAccuracy, location.altitude) = (5, 120.6)
            await delivery.applyLocation(location, isReduced: false)
        }
    }

    @Test func homeFollowsBeforeTheReport() async throws {
        try await bench.run(destination(movesHome: true)) { delivery in
            try await bench.insert(11, to: delivery)
            try await awaitCursor(1)
            let before = server.requests.count
            // 900 m are no movement.
            try await rest(delivery, from: 0, to: 600, latitude: 50 + 900 / 111_229)
            bench.time.advance(1)
            try await bench.insert(12, to: delivery)
            try await awaitCursor(2)
            #expect(server.paths.dropFirst(before).map { $0.prefix(12) } == ["/api/config", "/api/webhook"])
            try await rest(delivery, from: 1000, to: 1599, latitude: 51)
            bench.time.advance(1)
            try await bench.insert(13, to: delivery)
            try await awaitCursor(3)
            #expect(server.requests.count == before + 3, "it has not rested for ten minutes")
            try await rest(delivery, from: 1600, to: 1600, latitude: 51)
            // Without a new report the last one is repeated: only then it is compared with the home.
            try await eventually("the report is repeated") { server.requests.count == before + 6 }
            #expect(
                server.paths.suffix(3).map { $0.prefix(12) }
                    == ["/api/config", "/api/service", "/api/webhook"].map {
                        $0.prefix(12)
                    })
            let call = try #require(server.bodies.first { $0.contains("elevation") })
            #expect(call.contains(#""elevation":121"#) && call.contains(#""latitude":51"#))
            try await rest(delivery, from: 1700, to: 9000, latitude: 51)
            bench.time.advance(1)
            try await bench.insert(14, to: delivery)
            try await awaitCursor(4)
            #expect(server.requests.count == before + 7, "no call without a movement")
        }
    }

    @Test func refusedHomeStaysAndReportsGoOn() async throws {
        home.state.withLock { $0.isAdministrator = false }
        try await bench.run(destination(movesHome: true)) { delivery in
            try await rest(delivery, from: 0, to: 600, latitude: 51)
            try await bench.insert(11, to: delivery)
            try await awaitCursor(1)
            #expect(await delivery.state.trouble?.contains("takes an administrator's token") == true)
            #expect(await !delivery.state.isStopped)
            try await rest(delivery, from: 2000, to: 3000, latitude: 52)
            bench.time.advance(1)
            try await bench.insert(12, to: delivery)
            try await awaitCursor(2)
            #expect(server.paths.count { $0.hasPrefix("/api/services") } == 1, "a refusal is not repeated")
        }
    }
}
