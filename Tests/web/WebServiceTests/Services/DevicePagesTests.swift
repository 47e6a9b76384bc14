import Glibc
import ProgramTestSupport
import Testing
import WebService

/// The devices of a fleet on pages, from a socket that the test has in place of systemd's.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DevicePagesTests {
    /// A fleet's socket, of which each connection is a list.
    private final class Lists {
        let folder: TemporaryFolder
        let path: String
        private let listener: Int32

        init() throws {
            folder = try TemporaryFolder()
            path = folder("devices.sock")
            listener = try SocketFile.listener(at: path)
        }

        deinit { close(listener) }

        /// The next page's connection.
        func next() async throws -> Int32 {
            var connection: UnixSocket?
            try await eventually("a list is begun") {
                connection = UnixSocket(acceptedBy: listener)
                return connection != nil
            }
            guard let descriptor = connection?.release() else { throw Failure("no connection") }
            guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Failure("no flags: \(errno)") }
            return descriptor
        }
    }

    private func settings(_ path: String) -> WebSettings {
        var settings = WebSettings.unconnected
        settings.fleet = path
        return settings
    }

    private func open(_ bench: WebBench, _ cookie: String, receiveBuffer: Int32? = nil) async throws -> LiveConnection {
        let page = LiveConnection(try bench.connect(receiveBuffer: receiveBuffer))
        try await page.open(bench, cookie, path: "/devices")
        return page
    }

    private func write(_ text: String, to list: Int32) throws {
        guard send(list, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count else {
            throw Failure("not written: \(errno)")
        }
    }

    /// Waits until the page's side has closed the list.
    private func awaitEnd(of list: Int32, within seconds: Double = 60) async throws {
        try await eventually("the list is closed", within: seconds) {
            var byte: UInt8 = 0
            return recv(list, &byte, 1, 0) == 0
        }
    }

    @Test func linesAreEventsHoweverTheyArrive() async throws {
        let lists = try Lists()
        try await WebBench.run(settings(lists.path)) { bench in
            let page = try await open(bench, try await bench.signIn(as: WebBench.administrator))
            let list = try await lists.next()
            defer { close(list) }
            try write("{\"state\":\"\"}\n{\"report\":", to: list)
            try await page.await("the first line") { $0.map(\.data) == ["{\"state\":\"\"}"] }
            try write("{}}\n", to: list)
            try await page.await("the second line") { $0.map(\.data) == ["{\"state\":\"\"}", "{\"report\":{}}"] }
            #expect(try page.events().allSatisfy { $0.name == "device" })
        }
    }

    @Test func lineThatIsTooLongIsSkippedAndCounted() async throws {
        let lists = try Lists()
        try await WebBench.run(settings(lists.path)) { bench in
            let page = try await open(bench, try await bench.signIn(as: WebBench.administrator))
            let list = try await lists.next()
            defer { close(list) }
            for number in 1...2 {
                for _ in 0..<7 { try write(String(repeating: "x", count: 10_000), to: list) }
                try write("\n{\"state\":\"\"}\n", to: list)
                try await page.await("what follows the long line") { $0.count == 2 * number }
            }
            #expect(try page.events().map(\.name) == ["skipped", "device", "skipped", "device"])
            #expect(
                try page.events().map(\.data) == [
                    "{\"count\":1}", "{\"state\":\"\"}", "{\"count\":2}", "{\"state\":\"\"}",
                ])
        }
    }

    @Test func theEndIsSaid() async throws {
        let lists = try Lists()
        try await WebBench.run(settings(lists.path)) { bench in
            let page = try await open(bench, try await bench.signIn(as: WebBench.administrator))
            close(try await lists.next())
            try await page.await("the end") { $0.last?.name == "ended" && $0.last?.data.contains("journalctl") == true }
        }
    }

    @Test func listEndsWithItsPageAndItsSession() async throws {
        let lists = try Lists()
        try await WebBench.run(settings(lists.path)) { bench in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            do { _ = try await open(bench, cookie) }
            let first = try await lists.next()
            defer { close(first) }
            try await awaitEnd(of: first)
            let page = try await open(bench, cookie)
            let second = try await lists.next()
            defer { close(second) }
            #expect(try await bench.request("POST", "/sign-out", bench.ownHeaders(cookie)).status == 204)
            // Both were closed before the answer was sent.
            try await awaitEnd(of: second, within: 10)
            try await eventually("the page is closed", within: 10) { page.connection.isClosed }
        }
    }

    @Test func pageThatDoesNotReadHasTheListWait() async throws {
        let lists = try Lists()
        try await WebBench.run(settings(lists.path)) { bench in
            let page = try await open(bench, try await bench.signIn(as: WebBench.administrator), receiveBuffer: 4096)
            let list = try await lists.next()
            defer { close(list) }
            let line = "{\"report\":\"\(String(repeating: "x", count: 1000))\"}\n"
            var sent = 0
            // Until nothing more is taken for as long as the server would need to take it: it answers another request
            // meanwhile.
            var taken = -1
            while taken != sent {
                taken = sent
                while send(list, line, line.utf8.count, Int32(MSG_NOSIGNAL)) == line.utf8.count { sent += 1 }
                for _ in 0..<5 { #expect(try await bench.request("GET", "/app.js").status == 200) }
                #expect(sent < 10_000, "the server keeps what the page does not read")
                guard sent < 10_000 else { return }
            }
            try await page.await("all that was taken") { $0.count >= sent }
        }
    }

    @Test func othersSeeNoDevices() async throws {
        let lists = try Lists()
        try await WebBench.run(settings(lists.path)) { bench in
            let (user, root) = (try await bench.signIn(), try await bench.signIn(as: WebBench.administrator))
            #expect(try await bench.request("GET", "/devices").status == 401)
            #expect(try await bench.request("GET", "/devices", [user]).status == 403)
            #expect(try await bench.request("GET", "/session", [user]).body.contains("\"hasFleet\":false"))
            #expect(try await bench.request("GET", "/session", [root]).body.contains("\"hasFleet\":true"))
            unlink(lists.path)
            #expect(try await bench.request("GET", "/devices", [root]).status == 404)
            #expect(try await bench.request("GET", "/session", [root]).body.contains("\"hasFleet\":false"))
        }
    }

    @Test func atMostEightAreListedAtATime() async throws {
        let lists = try Lists()
        try await WebBench.run(settings(lists.path)) { bench in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            var pages: [LiveConnection] = []
            for _ in 0..<8 { pages.append(try await open(bench, cookie)) }
            let ninth = try bench.connect()
            try await ninth.send(bench.text("GET", "/devices", [cookie]))
            try await eventually("it is closed") { ninth.isClosed }
            pages.removeLast()
            try await eventually("there is room again") {
                guard let page = try? await open(bench, cookie) else { return false }
                return !page.connection.isClosed
            }
        }
    }
}
