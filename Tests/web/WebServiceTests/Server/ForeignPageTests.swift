import Testing
import WebService

/// Pages of others in the browser of somebody who is signed in: they have the cookie sent, but nothing done and nothing
/// to read.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ForeignPageTests {
    private static let call = "/call/org.locationd.location.GetStatus"

    /// A request that is answered but for one header, by the name of what is wrong.
    private static let changes: [(String, @Sendable (inout [String]) -> Void)] = [
        ("a form has no header X-Locationd", { $0.removeAll { $0.hasPrefix("X-Locationd") } }),
        ("another value", { $0[3] = "X-Locationd: 0" }), ("twice", { $0.append("X-Locationd: 1") }),
        ("another site", { $0[1] = "Origin: http://evil.example" }), ("a sandboxed frame", { $0[1] = "Origin: null" }),
        ("another port", { $0[1] = "Origin: http://127.0.0.1:1" }), ("no browser", { $0.remove(at: 1) }),
        ("two origins", { $0.append("Origin: http://evil.example") }),
        ("a cross-site request", { $0[2] = "Sec-Fetch-Site: cross-site" }),
        ("another port's page", { $0[2] = "Sec-Fetch-Site: same-site" }),
        ("a bookmark", { $0[2] = "Sec-Fetch-Site: none" }),
        ("two sites", { $0.append("Sec-Fetch-Site: cross-site") }),
    ]

    @Test(arguments: changes.indices)
    func changeOfAnotherPageIsRefused(index: Int) async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let own = bench.ownHeaders(cookie)
            // The daemon is not there: it is asked.
            #expect(try await bench.request("POST", Self.call, own, body: "{}").status == 502)
            var headers = own
            Self.changes[index].1(&headers)
            #expect(headers != own)
            for path in [Self.call, "/call/org.locationd.admin.Stop", "/sign-out", "/regions"] {
                #expect(
                    try await bench.request("POST", path, headers, body: "{}").status == 403, "\(Self.changes[index].0)"
                )
            }
            #expect(try await bench.request("GET", "/session", [cookie]).status == 200, "it is signed out")
        }
    }

    /// What a form can send without asking.
    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
        "text/plain; application/json", "Application",
    ])
    func formsBodyIsRefused(type: String) async throws {
        try await WebBench.run { bench in
            var headers = bench.ownHeaders(try await bench.signIn())
            headers[4] = "Content-Type: \(type)"
            #expect(try await bench.request("POST", Self.call, headers, body: "{}").status == 415)
            headers.remove(at: 4)
            #expect(try await bench.request("POST", Self.call, headers, body: "{}").status == 415)
            headers += ["Content-Type: application/json", "Content-Type: text/plain"]
            #expect(try await bench.request("POST", Self.call, headers, body: "{}").status == 415)
        }
    }

    @Test(arguments: ["/session", "/live", "/track.gpx", "/app.js"])
    func partsOfThePagesAreNotForOthers(path: String) async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            for headers in [
                ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Origin: http://evil.example"],
                ["Origin: null"],
            ] {
                let reply = try await bench.request("GET", path, [cookie] + headers)
                #expect(reply.status == 403, "\(headers)")
                #expect(reply.header("access-control-allow-origin") == nil)
            }
        }
    }

    /// A name of another site that is made to lead here sends that name.
    @Test(arguments: ["evil.example", "127.0.0.1", "localhost", "127.0.0.1.evil.example", "localhost:1", ""])
    func reboundNameIsRefused(name: String) async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn()
            let link = try await bench.link()
            let hosts = name.contains(".e") || name.hasPrefix("evil") ? [name, "\(name):\(bench.port)"] : [name]
            for host in hosts {
                for path in ["/", "/session", "/app.js", "/live", link] {
                    let connection = try bench.connect()
                    try await connection.send(
                        "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\n\(cookie)\r\nConnection: close\r\n\r\n"
                    )
                    #expect(try await connection.reply().status == 403, "\(host) \(path)")
                }
            }
            #expect(try await bench.request("GET", link).status == 303, "a refused request has used the link up")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "GET / HTTP/1.0\r\n", "GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n",
        "GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil\r\n",
    ])
    func hostIsThereOnce(head: String) async throws {
        try await WebBench.run { bench in
            let connection = try bench.connect()
            try await connection.send(head.replacing("HOST", with: bench.host) + "\r\n")
            #expect([400, 403].contains(try await connection.reply().status))
        }
    }

    @Test func nameOfAProxyIsAccepted() async throws {
        var settings = WebSettings.unconnected
        settings.hosts = ["pages.example.org"]
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            for (host, status) in [("pages.example.org", 200), ("other.example.org", 403)] {
                let connection = try bench.connect()
                try await connection.send(
                    "GET /session HTTP/1.1\r\nHost: \(host)\r\nOrigin: https://\(host)\r\n\(cookie)\r\n\r\n")
                #expect(try await connection.reply().status == status)
            }
        }
    }
}
