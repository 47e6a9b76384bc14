import ProgramTestSupport
import Testing
import WebService

/// No user's requests take another's turn, or all of the memory.
@Suite(.timeLimit(.minutes(10)))
struct RequestLimitTests {
    private static let regions = #"{"remove":[]}"#
    private static let getState = "/call/org.locationd.history.GetState"

    private func settings(_ change: (inout WebSettings) -> Void) -> WebSettings {
        var settings = WebSettings.unconnected
        change(&settings)
        return settings
    }

    /// The head of a change whose body does not come.
    private func head(_ bench: WebBench, _ cookie: String, bytes: Int) -> String {
        bench.text("POST", "/regions", bench.ownHeaders(cookie) + ["Content-Length: \(bytes)"])
    }

    /// Another user is served meanwhile, by the kernel's word for who it is.
    private func expectOtherIsServed(_ bench: WebBench) async throws {
        let other = try await OtherUserRequest.answer(
            bench.text("GET", "/app.js", ["Connection: close"]), at: bench.port)
        #expect(other.hasPrefix("HTTP/1.1 200 "), "\(other.prefix(200))")
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func requestOverTheRateIsRefusedBeforeItsBody() async throws {
        // None is closed to make room for another.
        try await WebBench.run(settings { ($0.requestsPerSecond, $0.connectionsPerUser) = (5, 1024) }) { bench in
            let cookie = try await bench.signIn()
            // A connection counts, too.
            let (first, second) = (try bench.connect(), try bench.connect())
            try await second.send(bench.text("GET", "/app.js"))
            #expect(try await second.reply().status == 200)
            let large = Self.regions + String(repeating: " ", count: 65_000)
            try await first.send(bench.text("POST", "/regions", bench.ownHeaders(cookie), body: large))
            #expect(try await first.reply().status == 409, "what is over the rate by itself is served once")
            try await second.send(head(bench, cookie, bytes: 65_000))
            let refused = try await second.reply()
            #expect(refused.status == 429 && refused.header("retry-after") == "1")
            try await expectOtherIsServed(bench)
            try await eventually("the connection ends") { second.isClosed }
            var others: [HTTPConnection] = []
            try await eventually("no connection is served either") {
                others.append(try bench.connect())
                return others.contains(where: \.isClosed)
            }
        }
    }

    /// Requests behind one whose answer does not end are not kept.
    @Test func requestsThatWaitForAnAnswerAreFew() async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            let (live, quick) = (bench.text("GET", "/live", [cookie]), bench.text("GET", "/app.js"))
            let patient = try bench.connect()
            try await patient.send(live + String(repeating: quick, count: 7))
            let hasty = try bench.connect()
            try await hasty.send(live + String(repeating: quick, count: 8))
            try await eventually("the connection ends") { hasty.isClosed }
            #expect(!patient.isClosed)
            // Those that are answered are as many as one likes.
            let other = try bench.connect()
            for _ in 0..<20 {
                try await other.send(quick)
                #expect(try await other.reply().status == 200)
            }
        }
    }

    /// Whoever begins many bodies, and sends none.
    @Test(.enabled(if: OtherUser.canBeBecome)) func bytesOfBodiesAreLimited() async throws {
        try await WebBench.run(settings { $0.bytesPerUser = 100_000 }) { bench in
            let cookie = try await bench.signIn()
            let (first, second) = (try bench.connect(), try bench.connect())
            try await first.send(head(bench, cookie, bytes: 65_000) + "{")
            // What has been sent by then is read.
            for _ in 0..<3 { #expect(try await bench.request("GET", "/app.js").status == 200) }
            try await second.send(head(bench, cookie, bytes: 65_000))
            #expect(try await second.reply().status == 429)
            #expect(!first.isClosed)
            try await expectOtherIsServed(bench)
            // What is not held any more is free.
            try await first.send(String(repeating: " ", count: 64_998) + "}")
            #expect(try await first.reply().status == 409)
            let reply = try await bench.request(
                "POST", "/regions", bench.ownHeaders(cookie), body: Self.regions + String(repeating: " ", count: 60_000)
            )
            #expect(reply.status == 409)
        }
    }

    @Test func bytesOfAnswersAreLimited() async throws {
        let folder = try TemporaryFolder()
        let silent = try SilentService(folder("history.sock"))
        let change: (inout WebSettings) -> Void = {
            $0.history = silent.path
            $0.bytesPerUser = 50_000
        }
        try await WebBench.run(settings(change)) { bench in
            let cookie = try await bench.signIn()
            for (count, status) in [(20_000, 200), (60_000, 503), (20_000, 200)] {
                let connection = try bench.connect()
                try await connection.send(bench.text("POST", Self.getState, bench.ownHeaders(cookie), body: "{}"))
                try await eventually("it is asked") { silent.callCount > 0 }
                try silent.answerAll("{\"parameters\":{\"x\":\"\(String(repeating: "x", count: count))\"}}\0")
                silent.closeAll()
                #expect(try await connection.reply().status == status)
            }
        }
    }

    /// Changes of regions wait for the daemon as calls do.
    @Test func changesOfRegionsHaveTheCallsPlaces() async throws {
        let folder = try TemporaryFolder()
        let silent = try SilentService(folder("control.sock"))
        let change: (inout WebSettings) -> Void = {
            $0.daemon = silent.path
            $0.callsPerUser = 2
        }
        try await WebBench.run(settings(change)) { bench in
            let cookie = try await bench.signIn()
            let page = try await bench.page(cookie)
            try await eventually("the watch and the monitor") { silent.callCount >= 2 }
            var waiting: [HTTPConnection] = []
            for number in 1...2 {
                waiting.append(try bench.connect())
                try await waiting[number - 1].send(
                    bench.text("POST", "/regions", bench.ownHeaders(cookie), body: Self.regions))
                try await eventually("change \(number) waits") {
                    try silent.callCount(of: "ChangeRegions") == number
                }
            }
            let third = try await bench.request("POST", "/regions", bench.ownHeaders(cookie), body: Self.regions)
            #expect(third.status == 429 && third.header("retry-after") == "1")
            silent.closeAll()
            for connection in waiting { #expect(try await connection.reply().status == 502) }
            #expect(!page.connection.isClosed)
        }
    }

    @Test func pagesOfOneUserAreLimited() async throws {
        try await WebBench.run(settings { $0.pagesPerUser = 2 }) { bench in
            let (cookie, again) = (try await bench.signIn(), try await bench.signIn())
            var pages = [try await bench.page(cookie), try await bench.page(again)]
            for session in [cookie, again] {
                let refused = try await bench.request("GET", "/live", [session])
                #expect(refused.status == 429 && refused.body.contains("too many pages"))
            }
            _ = try await bench.page(try await bench.signIn(as: WebBench.administrator))
            pages.removeFirst()
            try await eventually("there is a place again") {
                let page = LiveConnection(try bench.connect())
                guard (try? await page.open(bench, cookie)) != nil else { return false }
                pages.append(page)
                return true
            }
        }
    }
}
