import Fleet
import Foundation
import GRDB
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
import Testing

@testable import Delivery
@testable import HTTPRequests

/// What one server is sent, when, and what its answers lead to.
@Suite(.timeLimit(.minutes(10))) struct HTTPDeliveryTests {
    private let bench: DestinationBench
    private var server: ScriptedServer { bench.server }

    init() throws { bench = try DestinationBench() }

    private func ownTracks(_ change: (inout HTTPDestination) -> Void = { _ in }) throws -> HTTPDestination {
        try bench.destination("owntracks+https://server.example/pub", change)
    }

    /// Waits until the loop has nothing to do but to wait for its timer.
    private func awaitTimer(_ seconds: Double) async throws {
        try await eventually("it waits for \(seconds) s", details: { "\(String(describing: bench.time.nextTimer))" }) {
            bench.time.nextTimer.map { abs($0 - seconds) < 1e-6 } == true
        }
    }

    @Test func whatWaitsIsSentInItsOrderAndOnce() async throws {
        let destination = try ownTracks()
        _ = try await bench.outbox.configure([destination.name: false], hasBroker: false)
        try await bench.insert(11, 12, 13)
        try await bench.run(destination) { delivery in
            while bench.times.count < 3 {
                try await eventually("one is sent") { bench.time.nextTimer != nil || bench.times.count == 3 }
                bench.time.advance(0.001)
            }
            try await eventually("it is noted") { try await bench.cursor() == 3 }
            #expect(bench.times == [11, 12, 13])
            #expect(try await bench.outbox.report(after: 0, showsNewest: false) == nil)
            let state = await delivery.state
            #expect(state.waiting == 0 && state.delivered == 3 && state.failed == 0 && state.trouble == nil)
            #expect(state.lastDelivery == UTCTime(seconds: 1_800_001_000))
        }
        let request = try #require(server.requests.first)
        #expect(request.url == "https://server.example/pub" && request.contentType == "application/json")
        #expect(request.headers == ["X-Limit-U: anna", "X-Limit-D: van"])
        #expect(server.bodies[0].contains(#""topic":"owntracks/anna/van","tst":11"#))
    }

    @Test func secretsGoIntoTheHeadAlone() async throws {
        bench.secret.withLock { $0 = .password("sesam:1") }
        try await bench.run(ownTracks()) { delivery in
            try await bench.insert(11, to: delivery)
            try await eventually("it is sent") { server.requests.count == 1 }
            bench.secret.withLock { $0 = .token("T1") }
            bench.time.advance(1)
            try await bench.insert(12, to: delivery)
            try await eventually("it is sent") { server.requests.count == 2 }
        }
        let basic = Data("anna:sesam:1".utf8).base64EncodedString()
        #expect(server.requests.map(\.headers.last) == ["Authorization: Basic \(basic)", "Authorization: Bearer T1"])
    }

    @Test func outageLosesNothingAndKeepsTheOrder() async throws {
        server.always(ScriptedServer.failure(.failed("nothing listens")))
        try await bench.run(ownTracks()) { delivery in
            try await bench.insert(11, to: delivery)
            for pause in [1.0, 2, 4] {
                try await awaitTimer(pause)
                #expect(await delivery.state.trouble == "nothing listens")
                bench.time.advance(pause)
            }
            try await bench.insert(12, 13, to: delivery)
            try await awaitTimer(8)
            #expect(await delivery.state.waiting == 3)
            #expect(await delivery.state.failed == 4)
            server.always { _ in ScriptedServer.answer(200) }
            bench.time.advance(8)
            try await eventually("all are sent") {
                bench.time.advance(0.001)
                return try await bench.cursor() == 3
            }
            #expect(bench.times == [11, 11, 11, 11, 11, 12, 13])
            #expect(await delivery.state.trouble == nil)
            #expect(await delivery.state.waiting == 0)
        }
        #expect(bench.log.messages.filter { $0.hasPrefix("warning") } == ["warning: a report is not delivered"])
        #expect(bench.log.messages.contains("notice: the server accepts reports again"))
    }

    @Test func serverDecidesHowLongItIsLeftAlone() async throws {
        server.next(
            { _ in ScriptedServer.answer(429, "slowly", retryAfter: 120) }, { _ in ScriptedServer.answer(503) },
            { _ in ScriptedServer.answer(503, retryAfter: 1e9) }, { _ in ScriptedServer.answer(429) },
            ScriptedServer.failure(.timedOut))
        try await bench.run(ownTracks()) { delivery in
            try await bench.insert(11, to: delivery)
            for (pause, words) in [
                (120.0, "it answers 429 (slowly); it wants no report for 120 s"), (1, "it answers 503"),
                (3600, "it answers 503; it wants no report for 86400 s"),
                (60, "it answers 429; it wants no report for 60 s"), (2, "it does not answer within 30 s"),
            ] {
                try await awaitTimer(pause)
                #expect(await delivery.state.trouble == words)
                bench.time.advance(pause)
            }
            try await eventually("it is delivered") { try await bench.cursor() == 1 }
            #expect(await !delivery.state.isStopped)
        }
    }

    @Test(arguments: [401, 403])
    func wrongTokenIsTriedOnceUntilItChanges(status: Int) async throws {
        bench.secret.withLock { $0 = .token("wrong") }
        server.always { request in
            ScriptedServer.answer(request.headers.contains("Authorization: Bearer right") ? 200 : status, "wrong token")
        }
        let destination = try ownTracks()
        try await bench.run(destination) { delivery in
            try await bench.insert(11, 12, to: delivery)
            try await awaitTimer(60)
            let state = await delivery.state
            #expect(state.isStopped && state.waiting == 2)
            // The secret in the answer is not said.
            #expect(
                state.trouble
                    == "it answers \(status) (… token); check the token or the password, and what its user may do")
        }
        // Nor after a restart, as long as nothing has changed.
        try await bench.run(destination) { delivery in
            try await awaitTimer(60)
            bench.time.advance(60)
            try await awaitTimer(60)
            #expect(server.requests.count == 1)
            #expect(await delivery.state.isStopped)
            #expect(await delivery.state.trouble?.contains("\(status)") == true)
            bench.secret.withLock { $0 = .token("right") }
            bench.time.advance(60)
            try await eventually("both are delivered") {
                bench.time.advance(0.001)
                return try await bench.cursor() == 2
            }
            #expect(server.requests.count == 3 && bench.times == [11, 11, 12])
            #expect(await !delivery.state.isStopped)
            #expect(await delivery.state.trouble == nil)
        }
        #expect(bench.log.messages.contains("warning: nothing is sent any more"))
        #expect(!bench.log.lines.joined().contains("right"))
    }

    @Test(arguments: [400, 404, 422, 301])
    func thirdRejectionStopsUntilTheConfigurationChanges(status: Int) async throws {
        server.always { _ in ScriptedServer.answer(status, "no such thing\u{1b}[31m") }
        try await bench.run(ownTracks()) { delivery in
            try await bench.insert(11, to: delivery)
            for pause in [1.0, 2] {
                try await awaitTimer(pause)
                #expect(await !delivery.state.isStopped)
                bench.time.advance(pause)
            }
            try await awaitTimer(60)
            #expect(await delivery.state.isStopped)
            #expect(server.requests.count == 3)
            let trouble = await delivery.state.trouble ?? ""
            #expect(!trouble.contains("\u{1b}") && trouble.contains("url"), "\(trouble)")
        }
        server.always { _ in ScriptedServer.answer(200) }
        try await bench.run(bench.destination("owntracks+https://server.example/right")) { delivery in
            try await eventually("it is delivered") { try await bench.cursor() == 1 }
            #expect(await !delivery.state.isStopped)
        }
        #expect(server.paths.last == "/right")
    }

    @Test func traccarIsToldOfTheUnknownDevice() async throws {
        server.next { _ in ScriptedServer.answer(400) }
        try await bench.run(bench.destination("traccar+https://server.example:5055")) { delivery in
            try await bench.insert(11, to: delivery)
            try await awaitTimer(1)
            #expect(
                await delivery.state.trouble
                    == "it answers 400; add a device with the identifier van to Traccar, or correct device")
            bench.time.advance(1)
            try await bench.insert(#"{"_type":"status","tst":1}"#, .state)
            try await bench.insert(12, to: delivery)
            try await eventually("both are delivered, and nothing else") {
                bench.time.advance(0.001)
                return try await bench.cursor() == 3
            }
        }
        #expect(server.requests.count == 3)
        #expect(server.requests[0].contentType == "application/x-www-form-urlencoded")
        #expect(server.bodies[2] == "id=van&lat=50.1&lon=8.2&timestamp=12&accuracy=5.0")
    }

    @Test func intervalPassesOverLocationsAndNoTransition() async throws {
        let destination = try ownTracks { $0.interval = 30 }
        try await bench.run(destination) { delivery in
            try await bench.insert(100, 110, 129, to: delivery)
            try await bench.insert(#"{"_type":"transition","event":"enter","lat":1,"lon":2,"tst":129}"#, .event)
            try await bench.insert(130, 159, to: delivery)
            try await eventually("all are noted") {
                bench.time.advance(0.001)
                return try await bench.cursor() == 6
            }
        }
        // It is remembered, and a clock that was set back does not hold all up.
        try await bench.run(destination) { delivery in
            try await bench.insert(158, 160, 50, 79, to: delivery)
            try await eventually("all are noted") {
                bench.time.advance(0.001)
                return try await bench.cursor() == 10
            }
        }
        #expect(bench.times == [100, 129, 130, 160, 50])
    }

    @Test func pauseAndEndSendNothing() async throws {
        try await bench.run(ownTracks()) { delivery in
            await delivery.setPaused(true)
            try await bench.insert(11, to: delivery)
            // A test is the administrator's.
            let problem = await delivery.test(Array(#"{"_type":"location","lat":1,"lon":2,"tst":99}"#.utf8))
            #expect(problem == nil && bench.times == [99])
            await delivery.setPaused(false)
            bench.time.advance(1)
            try await eventually("it is sent") { bench.times == [99, 11] }
            await delivery.end()
            try await bench.insert(12, to: delivery)
            #expect(await delivery.test([]) == "the service ends")
            #expect(bench.times == [99, 11])
        }
    }

    @Test func testSaysTheAnswerAndEndsAStop() async throws {
        let payload = Array(#"{"_type":"location","lat":1,"lon":2,"tst":99}"#.utf8)
        server.next({ _ in ScriptedServer.answer(401) }, { _ in ScriptedServer.answer(401, "no") })
        try await bench.run(ownTracks()) { delivery in
            try await bench.insert(11, to: delivery)
            try await eventually("it stops") { await delivery.state.isStopped }
            #expect(await delivery.test(payload)?.hasPrefix("it answers 401 (no)") == true)
            #expect(await delivery.state.isStopped)
            #expect(bench.times == [11, 99])
            #expect(await delivery.test(payload) == nil)
            bench.time.advance(1)
            try await eventually("it goes on") { try await bench.cursor() == 1 }
            #expect(bench.times == [11, 99, 99, 11])
        }
    }

    @Test func commandsAreForThoseWhoAllowThem() async throws {
        let command = #"[{"_type":"card"},{"_type":"cmd","action":"reportLocation"},{"_type":"cmd","action":"status"}]"#
        server.always { _ in ScriptedServer.answer(200, command) }
        try await bench.run(ownTracks()) { delivery in
            try await bench.insert(11, to: delivery)
            try await eventually("it is delivered") { try await bench.cursor() == 1 }
        }
        #expect(bench.commands.values.isEmpty)
        try await bench.run(ownTracks { $0.acceptsCommands = true }) { delivery in
            try await bench.insert(12, to: delivery)
            try await eventually("it is delivered") { try await bench.cursor() == 2 }
            #expect(bench.commands.values == [.reportLocation], "one for each answer")
            bench.time.advance(1)
            try await bench.insert(13, to: delivery, trigger: "r")
            try await eventually("it is delivered") { try await bench.cursor() == 3 }
            #expect(bench.commands.values.count == 1, "the answer to a command has no commands")
            server.always { _ in ScriptedServer.answer(500, command) }
            bench.time.advance(1)
            try await bench.insert(14, to: delivery)
            try await eventually("it fails") { await delivery.state.trouble != nil }
            #expect(bench.commands.values.count == 1)
        }
    }

    /// What was delivered while the disk is full is noted later, and sent once.
    @Test func cursorThatCannotBeSavedStopsTheNextReport() async throws {
        try await bench.run(ownTracks()) { delivery in
            try await bench.insert(11, to: delivery)
            try await eventually("it is delivered") { try await bench.cursor() == 1 }
            try await bench.outbox.queue.writeWithoutTransaction {
                try $0.execute(
                    sql: "CREATE TRIGGER full BEFORE UPDATE ON destinations BEGIN SELECT RAISE(FAIL, 'full'); END")
            }
            bench.time.advance(1)
            try await bench.insert(12, 13, to: delivery)
            try await awaitTimer(5)
            #expect(bench.times == [11, 12])
            try await bench.outbox.queue.writeWithoutTransaction { try $0.execute(sql: "DROP TRIGGER full") }
            bench.time.advance(5)
            try await eventually("it goes on") {
                bench.time.advance(0.001)
                return try await bench.cursor() == 3
            }
            #expect(bench.times == [11, 12, 13])
        }
    }
}
