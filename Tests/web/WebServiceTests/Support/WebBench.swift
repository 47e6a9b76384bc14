import Glibc
import Logging
import ProgramTestSupport
import ServiceServer
import WebService

/// The real server in the test's process, on a port that the kernel chooses, with small pages.
final class WebBench: Sendable {
    /// Where it listens.
    enum Place: Sendable { case ipv4, ipv6, ipv4AndIPv6, proxy, ipv4AndProxy }

    let server: WebServer
    let place: Place
    /// 0 if it listens for a proxy alone.
    let port: Int
    let folder: TemporaryFolder

    static let user = WebSessions.Principal(uid: 61_234, isAdministrator: false)
    static let administrator = WebSessions.Principal(uid: 0, isAdministrator: true)
    /// More than the kernel takes at once for one connection.
    static let largeFile = String(repeating: "0123456789abcdef", count: 1 << 16)

    /// Serves during `body`.
    static func run(
        _ settings: WebSettings = .unconnected, idleExit: Double? = nil, at place: Place = .ipv4,
        _ body: (WebBench) async throws -> Void
    ) async throws {
        let bench = try await WebBench(settings, idleExit: idleExit, at: place)
        do {
            try await body(bench)
        } catch {
            await bench.server.stop()
            throw error
        }
        await bench.server.stop()
    }

    private init(_ settings: WebSettings, idleExit: Double?, at place: Place) async throws {
        self.place = place
        folder = try TemporaryFolder()
        try folder.write("<p>the pages</p>", to: "pages/index.html")
        try folder.write("<p>signed out</p>", to: "pages/signed-out.html")
        try folder.write("<p>sign in?</p>", to: "pages/sign-in.html")
        try folder.write("script", to: "pages/app.js")
        try folder.write(Self.largeFile, to: "pages/large.js")
        try folder.write("packed", to: "pages/packed.js")
        try folder.write("gzip", to: "pages/packed.js.gz")
        try folder.write("gzip", to: "pages/world.geojson.gz")
        try folder.write("{}", to: "pages/base/world.geojson")
        try folder.write("secret", to: "secret.html")
        var files = StaticFiles()
        try files.add(folder("pages"), under: "/")
        var endpoints: [ServiceSockets.Endpoint] = []
        if place == .ipv4AndIPv6 {
            // The same port at both.
            let port = Int(try LoopbackPort.free())
            endpoints += [.tcp(host: "127.0.0.1", port: port), .tcp(host: "::1", port: port)]
        } else if place != .proxy {
            endpoints.append(.tcp(host: place == .ipv6 ? "::1" : "127.0.0.1", port: 0))
        }
        if [.proxy, .ipv4AndProxy].contains(place) {
            endpoints.append(.inherited(try SocketFile.listener(at: folder("proxy.sock"))))
        }
        server = try await WebServer(
            endpoints, settings, files: files, idleExit: idleExit,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        port = server.port ?? 0
        guard place == .proxy || port > 0 else { throw Failure("no port") }
    }

    func connect(receiveBuffer: Int32? = nil) throws -> HTTPConnection {
        place == .proxy
            ? try connectAsProxy()
            : try HTTPConnection(port: port, isIPv6: place == .ipv6, receiveBuffer: receiveBuffer)
    }

    func connectByIPv6() throws -> HTTPConnection { try HTTPConnection(port: port, isIPv6: true) }

    func connectAsProxy() throws -> HTTPConnection { try HTTPConnection(path: folder("proxy.sock")) }

    /// The name by which a proxy has the pages.
    static let proxyHost = "pages.example.org"

    var host: String {
        switch place {
        case .ipv4, .ipv4AndIPv6, .ipv4AndProxy: "127.0.0.1:\(port)"
        case .ipv6: "[::1]:\(port)"
        case .proxy: Self.proxyHost
        }
    }

    /// A request's text.
    /// - Parameter headers: lines beside `Host`.
    func text(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + headers
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// Makes a request by a connection of its own.
    func request(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) async throws
        -> HTTPReply
    {
        let connection = try connect()
        try await connection.send(text(method, path, headers, body: body))
        return try await connection.reply(isHead: method == "HEAD")
    }

    /// The path of a new link.
    /// - Parameter opener: the user whose browser opens it.
    func link(for principal: WebSessions.Principal = user, opener: UInt32 = geteuid()) async throws -> String {
        let link = try await server.link(for: principal, opener: opener)
        let prefix = "http://\(host)"
        guard link.hasPrefix("\(prefix)/open?token=") else { throw Failure("another link: \(link)") }
        return String(link.dropFirst(prefix.count))
    }

    /// Opens a link.
    /// - Returns: the header with the session's cookie.
    func signIn(as principal: WebSessions.Principal = user) async throws -> String {
        let reply = try await request("GET", try await link(for: principal))
        guard reply.status == 303, let cookie = reply.header("set-cookie")?.split(separator: ";").first else {
            throw Failure("not signed in: \(reply)")
        }
        return "Cookie: \(cookie)"
    }

    /// The headers that a browser and our pages send with a change.
    func ownHeaders(_ cookie: String) -> [String] {
        [
            cookie, "Origin: http://\(host)", "Sec-Fetch-Site: same-origin", "X-Locationd: 1",
            "Content-Type: application/json",
        ]
    }

    /// Makes a call as the pages do.
    /// - Returns: the answer without the blanks that fill it up.
    func call(_ method: String, _ body: String, _ cookie: String) async throws -> HTTPReply {
        var reply = try await request("POST", "/call/\(method)", ownHeaders(cookie), body: body)
        reply.body = String(
            reply.body.prefix(
                upTo: reply.body.lastIndex { $0 != " " }.map { reply.body.index(after: $0) } ?? reply.body.startIndex))
        return reply
    }
}

extension WebSettings {
    /// Nobody is at the sockets.
    static var unconnected: WebSettings {
        var settings = WebSettings()
        settings.daemon = "/nonexistent/control.sock"
        settings.history = "/nonexistent/history.sock"
        settings.places = "/nonexistent/places.sock"
        // Longer than any test: what is to happen at once does not happen by the next review. Tests of the review set
        // it.
        settings.reviewInterval = 3600
        // Longer than a busy machine needs.
        (settings.linkLifetime, settings.arrivalTime, settings.idleTime) = (600, 600, 600)
        settings.regionsTime = 600
        return settings
    }
}
