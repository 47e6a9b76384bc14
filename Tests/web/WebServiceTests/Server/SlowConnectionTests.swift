import ProgramTestSupport
import Testing
import WebService

/// Who takes connections, and sends or reads nothing, keeps nobody else out.
@Suite(.timeLimit(.minutes(10)))
struct SlowConnectionTests {
    /// Connects as one user, makes a request, opens more connections than the service has places for, which never
    /// finish theirs, and makes another request by the first.
    private static let attack = """
        import resource, socket, sys
        hand = socket.socket(fileno=0)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        def ask(connection):
            answer = b""
            try:
                connection.sendall(sys.argv[2].encode())
                while not answer.endswith(b"script"):
                    part = connection.recv(65536)
                    if not part:
                        return "closed"
                    answer += part
            except OSError:
                return "closed"
            return answer.split()[1].decode()
        first = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
        before = ask(first)
        slow = []
        for _ in range(1100):
            connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
            try:
                connection.sendall(b"GET / HTTP/1.1\\r\\nHost: ")
            except OSError:
                pass
            slow.append(connection)
        hand.sendall(f"{before} {ask(first)}\\n".encode())
        hand.recv(1)
        """

    @Test(.enabled(if: OtherUser.canBeBecome)) func thousandConnectionsOfOneUserKeepNobodyOut() async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            let attacker = try AssistantProcess(
                AssistantProcess.python(Self.attack, ["\(bench.port)", bench.text("GET", "/app.js")]),
                uid: OtherUser.stranger.number)
            #expect(try await attacker.hear() == "200 closed\n", "the attacker's own are closed for each other")
            for _ in 0..<5 { #expect(try await bench.request("GET", "/session", [cookie]).status == 200) }
            try await attacker.end()
        }
    }

    /// A connection is closed without an answer.
    private func expectRefusal(_ bench: WebBench, of connection: HTTPConnection? = nil) async throws {
        let refused = try connection ?? bench.connect()
        try await refused.send(bench.text("GET", "/app.js", ["Connection: close"]))
        try await eventually("it is closed") { refused.isClosed }
        #expect(refused.received.isEmpty)
    }

    /// A connection that belongs to a session, and so is not closed for another.
    private func connect(_ bench: WebBench, _ cookie: String) async throws -> HTTPConnection {
        let connection = try bench.connect()
        try await connection.send(bench.text("GET", "/app.js", [cookie]))
        #expect(try await connection.reply().status == 200)
        return connection
    }

    /// Whoever connects too often is let in again as soon as the others are gone.
    @Test func connectionIsIdleNoLongerThanThat() async throws {
        var settings = WebSettings.unconnected
        settings.idleTime = 0.05
        try await WebBench.run(settings) { bench in
            let connection = try bench.connect()
            try await connection.send(bench.text("GET", "/app.js"))
            #expect(try await connection.reply().status == 200)
            try await eventually("it is closed") { connection.isClosed }
        }
    }

    @Test func limitIsOfOpenConnections() async throws {
        var settings = WebSettings.unconnected
        settings.connectionsPerUser = 3
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            var open: [HTTPConnection] = []
            for _ in 0..<3 { open.append(try await connect(bench, cookie)) }
            try await expectRefusal(bench)
            open.removeLast()
            try await eventually("there is a place again") {
                (try? await bench.request("GET", "/app.js").status) == 200
            }
            for connection in open {
                try await connection.send(bench.text("GET", "/app.js"))
                #expect(try await connection.reply().status == 200)
            }
        }
    }

    /// The addresses of this machine have one limit together.
    @Test func limitOfOneUserIsOverAllListeners() async throws {
        var settings = WebSettings.unconnected
        settings.connectionsPerUser = 3
        try await WebBench.run(settings, at: .ipv4AndIPv6) { bench in
            let cookie = try await bench.signIn()
            var open = [try await connect(bench, cookie), try await connect(bench, cookie)]
            open.append(try bench.connectByIPv6())
            try await open[2].send(bench.text("GET", "/app.js", [cookie]))
            #expect(try await open[2].reply().status == 200)
            try await expectRefusal(bench)
            try await expectRefusal(bench, of: bench.connectByIPv6())
            #expect(open.allSatisfy { !$0.isClosed })
        }
    }

    @Test func limitOfAllIsOverAllListeners() async throws {
        var settings = WebSettings.unconnected
        settings.connections = 2
        try await WebBench.run(settings, at: .ipv4AndIPv6) { bench in
            let cookie = try await bench.signIn()
            let own = try await connect(bench, cookie)
            let other = try bench.connectByIPv6()
            try await other.send(bench.text("GET", "/app.js", [cookie]))
            #expect(try await other.reply().status == 200)
            try await expectRefusal(bench)
            try await expectRefusal(bench, of: bench.connectByIPv6())
            #expect(!own.isClosed && !other.isClosed)
        }
    }

    @Test func limitOfAllIsKept() async throws {
        var settings = WebSettings.unconnected
        settings.connections = 2
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            var open: [HTTPConnection] = []
            for _ in 0..<2 { open.append(try await connect(bench, cookie)) }
            try await expectRefusal(bench)
            #expect(open.allSatisfy { !$0.isClosed })
        }
    }

    /// Strangers have a share of their own, of which the oldest ends for a new one: so whoever has a session can always
    /// connect.
    @Test func strangersKeepNoSessionOut() async throws {
        var settings = WebSettings.unconnected
        (settings.connections, settings.connectionsWithoutSession) = (8, 3)
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            let own = try await connect(bench, cookie)
            var strangers: [HTTPConnection] = []
            for _ in 0..<3 {
                strangers.append(try bench.connect())
                try await strangers[strangers.count - 1].send("GET / HTTP/1.1\r\nHost: ")
            }
            _ = try await connect(bench, cookie)
            for _ in 0..<5 { strangers.append(try bench.connect()) }
            _ = try await connect(bench, cookie)
            try await eventually("the oldest are closed") { strangers[..<5].allSatisfy(\.isClosed) }
            try await own.send(bench.text("GET", "/session", [cookie]))
            #expect(try await own.reply().status == 200)
        }
    }

    /// Nothing, half a head, half a body, and a byte now and then: each ends in time.
    @Test(arguments: [
        "", "GET / HTT", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345",
    ])
    func requestThatDoesNotEndIsClosed(text: String) async throws {
        var settings = WebSettings.unconnected
        settings.arrivalTime = 2
        try await WebBench.run(settings) { bench in
            let connection = try bench.connect()
            try await connection.send(text)
            let begin = ContinuousClock.now
            try await eventually("it is closed", within: 60) {
                if text.hasSuffix("\r\n"), !connection.isClosed { try await connection.send("X: a\r\n") }
                return connection.isClosed
            }
            // Neither at once nor by what is sent in between.
            #expect(ContinuousClock.now - begin > .seconds(1.5) || text.hasSuffix("\r\n"))
            #expect(ContinuousClock.now - begin < .seconds(50))
        }
    }

    /// The tasks of a call outlive its connection, and the call's place is given back.
    @Test func clientsThatLeaveDuringACallLeaveNothingBehind() async throws {
        let folder = try TemporaryFolder()
        // Who listens, and never answers.
        let silent = try SilentService(folder("history.sock"))
        var settings = WebSettings.unconnected
        settings.history = silent.path
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            let call = bench.text("POST", "/call/org.locationd.history.GetState", bench.ownHeaders(cookie), body: "{}")
            var callers: [HTTPConnection] = []
            for number in 1...8 {
                callers.append(try bench.connect())
                try await callers[number - 1].send(call)
            }
            try await eventually("all of them are asked") { silent.callCount == 8 }
            let ninth = try await bench.request(
                "POST", "/call/org.locationd.history.GetState", bench.ownHeaders(cookie), body: "{}")
            #expect(ninth.status == 429 && ninth.body.contains("try again"))
            let other = try await bench.signIn(as: WebBench.administrator)
            #expect(
                try await bench.call("org.locationd.location.GetStatus", "{}", other).status == 502,
                "another user's calls are their own")
            callers = []
            silent.closeAll()
            try await eventually("there is a place again") {
                try await bench.call("org.locationd.location.GetStatus", "{}", cookie).status == 502
            }
        }
    }
}
