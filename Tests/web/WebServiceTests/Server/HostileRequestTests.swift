import ProgramTestSupport
import Testing
import WebService

/// Bytes that no browser sends: each gets an answer or the end of its connection, and the next request is served.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HostileRequestTests {
    /// What one connection answers to these bytes.
    private func status(_ bench: WebBench, of text: String) async throws -> Int {
        let connection = try bench.connect()
        try await connection.send(text)
        let reply = try await connection.reply()
        if reply.header("connection") == "close" { try await eventually("it is closed") { connection.isClosed } }
        return reply.status
    }

    @Test func headersAreLimited() async throws {
        try await WebBench.run { bench in
            let long = String(repeating: "a", count: 65_536)
            for head in [
                "GET / HTTP/1.1\r\nHost: \(bench.host)\r\nX: \(long)", "GET /\(long) HTTP/1.1\r\nHost: \(bench.host)",
                "GET / HTTP/1.1\r\n\(long): a",
            ] {
                let status = try await status(bench, of: "\(head)\r\n\r\n")
                #expect(status == 431, "\(head.prefix(20))")
            }
            let many = (0..<100).map { "X-\($0): a\r\n" }.joined()
            #expect(try await status(bench, of: "GET / HTTP/1.1\r\nHost: \(bench.host)\r\n\(many)\r\n") == 431)
            #expect(try await bench.request("GET", "/app.js").status == 200)
        }
    }

    /// Headers without end are refused before they are there.
    @Test func endlessHeaderIsRefusedEarly() async throws {
        try await WebBench.run { bench in
            let connection = try bench.connect()
            try await connection.send("GET / HTTP/1.1\r\nX: ")
            var sent = 0
            while sent < 64, try await connection.send(String(repeating: "a", count: 65_536)) { sent += 1 }
            #expect(sent < 64, "4 MiB of a header are accepted")
        }
    }

    @Test(arguments: [65_537, 1 << 20])
    func bodyIsLimited(count: Int) async throws {
        try await WebBench.run { bench in
            let headers = bench.ownHeaders(try await bench.signIn())
            let connection = try bench.connect()
            let body = String(repeating: " ", count: count)
            try await connection.send(bench.text("POST", "/call/a", headers, body: body))
            #expect(try await connection.reply().status == 413)
            try await eventually("it is closed") { connection.isClosed }
            #expect(connection.received.isEmpty, "it is answered twice")
        }
    }

    @Test func largestBodyIsAccepted() async throws {
        try await WebBench.run { bench in
            let headers = bench.ownHeaders(try await bench.signIn())
            let body = "{}" + String(repeating: " ", count: 65_534)
            #expect(try await bench.request("POST", "/call/a", headers, body: body).status == 404)
        }
    }

    /// Many parts arrive after the one that was too much.
    @Test func chunkedBodyIsLimitedAndRefusedOnce() async throws {
        try await WebBench.run { bench in
            let headers = bench.ownHeaders(try await bench.signIn()) + ["Transfer-Encoding: chunked"]
            let connection = try bench.connect()
            try await connection.send(bench.text("POST", "/call/a", headers))
            try await connection.send(
                String(repeating: "1\r\na\r\n", count: 100_000) + "0\r\n\r\nGET /app.js HTTP/1.1\r\n\r\n")
            #expect(try await connection.reply().status == 413)
            try await eventually("it is closed") { connection.isClosed }
            #expect(connection.received.isEmpty)
            #expect(try await bench.request("GET", "/app.js").status == 200)
        }
    }

    @Test(arguments: [
        "\u{0}\u{0}\u{0}\u{0}\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}", "hello\r\n\r\n",
        "GET\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n: a\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "GET /\u{0} HTTP/1.1\r\n\r\n",
        "{\"method\":\"a\"}\u{0}",
    ])
    func garbageIsRefused(text: String) async throws {
        try await WebBench.run { bench in
            let connection = try bench.connect()
            try await connection.send(text)
            // What may still become a request waits for its end, ten seconds at most.
            try await eventually("it is refused or closed") { connection.isClosed }
            if !connection.received.isEmpty {
                let status = try await connection.reply().status
                #expect([400, 403, 405].contains(status), "\(status)")
            }
            #expect(try await bench.request("GET", "/app.js").status == 200)
        }
    }

    @Test(arguments: ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND"])
    func otherMethodsAreRefused(method: String) async throws {
        try await WebBench.run { bench in
            let reply = try await bench.request(method, "/app.js")
            #expect(reply.status == 405)
        }
    }

    @Test(arguments: [
        "/../secret.html", "/..%2fsecret.html", "/%2e%2e/secret.html", "//secret.html", "/pages/../secret.html",
        "/./app.js", "/app.js/", "/APP.JS", "/app.js%00",
        "/..\\secret.html", "/app%2ejs", "../secret.html", "http://127.0.0.1/app.js", "/leaflet/../app.js",
        "/etc/passwd", "/app.js;a=b", "*",
    ])
    func pathOfAFileIsExact(path: String) async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            for headers in [[], [cookie]] {
                let reply = try await bench.request("GET", path, headers)
                #expect([400, 401, 404].contains(reply.status), "\(reply)")
                #expect(!reply.body.contains("secret") && reply.body != "script")
            }
        }
    }

    @Test func pathIsComparedByItsBytes() async throws {
        try await WebBench.run { bench in
            for bytes: [UInt8] in [[0xC0, 0xAE], [0xFF], [0xC3], [0xE2, 0x80, 0xAE], [0x01]] {
                let connection = try bench.connect()
                try await connection.send(
                    Array("GET /".utf8) + bytes
                        + Array("app.js HTTP/1.1\r\nHost: \(bench.host)\r\nConnection: close\r\n\r\n".utf8))
                #expect([400, 401].contains(try await connection.reply().status))
            }
        }
    }
}
