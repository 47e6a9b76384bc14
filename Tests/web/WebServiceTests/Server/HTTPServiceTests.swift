import ProgramTestSupport
import Testing
import WebService

/// HTTP as browsers, proxies and commands speak it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HTTPServiceTests {
    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            let connection = try bench.connect()
            let call = bench.text(
                "POST", "/call/org.locationd.location.GetStatus", bench.ownHeaders(cookie), body: "{}")
            let texts = [
                bench.text("GET", "/app.js"), call, bench.text("GET", "/session", [cookie]),
                bench.text("HEAD", "/app.js"),
                bench.text("GET", "/nothing", [cookie]), call, bench.text("GET", "/app.js", ["Connection: close"]),
                bench.text("GET", "/session", [cookie]),
            ]
            try await connection.send(texts.joined())
            var statuses: [Int] = []
            for number in 0..<7 { statuses.append(try await connection.reply(isHead: number == 3).status) }
            #expect(statuses == [200, 502, 200, 200, 404, 502, 200])
            try await eventually("it is closed") { connection.isClosed }
            #expect(connection.received.isEmpty, "what follows the last request is answered")
        }
    }

    @Test func garbageAfterARequestIsRefusedAfterItsAnswer() async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            let connection = try bench.connect()
            let call = bench.text(
                "POST", "/call/org.locationd.location.GetStatus", bench.ownHeaders(cookie), body: "{}")
            try await connection.send(call + "garbage\r\n\r\n")
            #expect(try await connection.reply().status == 502)
            #expect(try await connection.reply().status == 400)
            try await eventually("it is closed") { connection.isClosed }
        }
    }

    @Test(arguments: ["/", "/app.js", "/large.js", "/session", "/nothing", "/live"])
    func headHasTheHeadersAlone(path: String) async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            let connection = try bench.connect()
            try await connection.send(bench.text("HEAD", path, [cookie]) + bench.text("GET", "/app.js"))
            let head = try await connection.reply(isHead: true)
            #expect(head.status == (path == "/nothing" ? 404 : 200))
            let next = try await connection.reply()
            #expect(next.status == 200 && next.body == "script", "the head has a body: \(next)")
            guard path != "/live" else { return }
            let full = try await bench.request("GET", path, [cookie])
            #expect(full.header("content-length") == head.header("content-length"))
            #expect(full.status == head.status)
        }
    }

    @Test func knownFileIsNotSentAgain() async throws {
        try await WebBench.run { bench in
            let first = try await bench.request("GET", "/app.js")
            let tag = try #require(first.header("etag"))
            let connection = try bench.connect()
            try await connection.send(
                bench.text("GET", "/app.js", ["If-None-Match: \(tag)"]) + bench.text("GET", "/app.js"))
            let known = try await connection.reply()
            #expect(known.status == 304 && known.header("etag") == tag)
            #expect(try await connection.reply().body == "script")
            #expect(try await bench.request("GET", "/app.js", ["If-None-Match: \"0\""]).status == 200)
        }
    }

    @Test(arguments: [["Accept-Encoding: deflate, gzip;q=0.5"], ["accept-encoding: br", "accept-encoding: GZIP"]])
    func compressedFileIsForWhomItIsMeant(headers: [String]) async throws {
        try await WebBench.run { bench in
            let packed = try await bench.request("GET", "/packed.js", headers)
            #expect(packed.status == 200 && packed.body == "gzip" && packed.header("content-encoding") == "gzip")
            #expect(packed.header("content-type") == "text/javascript; charset=utf-8")
            let plain = try await bench.request("GET", "/packed.js")
            #expect(plain.body == "packed" && plain.header("content-encoding") == nil)
            // A cache tells them apart.
            for reply in [packed, plain] { #expect(reply.header("vary") == "Accept-Encoding") }
            let (tag, plainTag) = (try #require(packed.header("etag")), try #require(plain.header("etag")))
            #expect(tag != plainTag)
            #expect(try await bench.request("GET", "/packed.js", headers + ["If-None-Match: \(tag)"]).status == 304)
            #expect(
                try await bench.request("GET", "/packed.js", headers + ["If-None-Match: \(plainTag)"]).status == 200)
            // What is not there compressed is sent as it is; nothing is compressed while it is sent.
            let other = try await bench.request("GET", "/app.js", headers)
            #expect(other.body == "script" && other.header("content-encoding") == nil && other.header("vary") == nil)
            let cookie = try await bench.signIn()
            #expect(try await bench.request("GET", "/session", headers + [cookie]).header("content-encoding") == nil)
        }
    }

    @Test func fileThatIsThereCompressedAloneIsRefusedToOthers() async throws {
        try await WebBench.run { bench in
            let headers = ["Accept-Encoding: gzip"]
            let reply = try await bench.request("GET", "/world.geojson", headers)
            #expect(reply.body == "gzip" && reply.header("content-type") == "application/geo+json")
            let refused = try await bench.request("GET", "/world.geojson")
            #expect(refused.status == 406 && refused.body.contains("gzip"))
        }
    }

    /// The kernel does not take the file at once: the connection is closed when all of it is sent.
    @Test(arguments: ["HTTP/1.0\r\n", "HTTP/1.1\r\nConnection: close\r\n"])
    func lastAnswerIsWhole(version: String) async throws {
        try await WebBench.run { bench in
            let connection = try bench.connect(receiveBuffer: 4096)
            try await connection.send("GET /large.js \(version)Host: \(bench.host)\r\n\r\n")
            let reply = try await connection.reply()
            #expect(reply.header("connection") == "close")
            #expect(reply.body == WebBench.largeFile)
            try await eventually("it is closed") { connection.isClosed }
        }
    }

    /// A proxy's default is HTTP/1.0, which has no chunks.
    @Test func eventsOfHTTP10HaveNoChunks() async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            let connection = try bench.connect()
            try await connection.send("GET /live HTTP/1.0\r\nHost: \(bench.host)\r\n\(cookie)\r\n\r\n")
            try await eventually("the outage") {
                connection.read()
                return String(decoding: connection.received, as: UTF8.self).hasSuffix(" \n\n")
            }
            let text = String(decoding: connection.received, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n") && !text.lowercased().contains("chunked"))
            #expect(
                text.contains(
                    "\r\n\r\nevent: outage\ndata: {\"reason\":\"locationd cannot be reached at /nonexistent/control.sock"
                ))
        }
    }

    @Test func connectionIsKeptForFurtherRequests() async throws {
        try await WebBench.run { bench in
            let connection = try bench.connect()
            for _ in 0..<20 {
                try await connection.send(bench.text("GET", "/app.js"))
                #expect(try await connection.reply().body == "script")
            }
            let old = try bench.connect()
            try await old.send("GET /app.js HTTP/1.0\r\nConnection: keep-alive\r\nHost: \(bench.host)\r\n\r\n")
            #expect(try await old.reply().body == "script")
        }
    }
}
