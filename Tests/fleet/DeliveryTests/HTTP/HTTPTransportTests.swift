import Fleet
import HTTPRequests
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import Delivery

/// Reports over libcurl to servers on this machine that do what they like.
@Suite(.timeLimit(.minutes(10))) struct HTTPTransportTests {
    private let bench: DestinationBench
    private let stub: HTTPStub
    private let folder: TemporaryFolder

    init() throws {
        bench = try DestinationBench()
        stub = try HTTPStub()
        folder = try TemporaryFolder()
    }

    private func client(authorities: String? = nil, clock: ServiceClock = .machine) throws -> HTTPClient {
        var transport = HTTPTransport()
        (transport.authorities, transport.isDirect, transport.connectTimeout) = (authorities, true, 10)
        return try HTTPClient(userAgent: "test", clock: clock, transport: transport)
    }

    /// Runs a destination over libcurl; the time limit of a request is over when the test says so.
    private func run(
        _ change: (inout HTTPDestination) -> Void = { _ in },
        _ body: (HTTPDelivery, @escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        let (limits, limit) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let clock = ServiceClock(
            now: { MachineClock.now }, utc: { MachineClock.utc },
            sleep: { _ in
                for await _ in limits { return }
                throw CancellationError()
            })
        let client = try client(clock: clock)
        let destination = try bench.destination("owntracks+\(stub.url)/pub", change)
        _ = try await bench.outbox.configure([destination.name: false], hasBroker: false)
        let delivery = HTTPDelivery(
            destination, bench.outbox, rate: 10_000, clock: .machine, logger: bench.log.logger, jitter: { 0 }
        ) { request, seconds throws(HTTPFailure) in try await client.send(request, within: seconds) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await delivery.run { _, _ in
                } _: { _ in
                }
            }
            do {
                try await body(delivery) { limit.yield() }
            } catch {
                await delivery.end()
                group.cancelAll()
                throw error
            }
            await delivery.end()
            group.cancelAll()
        }
    }

    @Test func reportsAreSentOverOneConnection() async throws {
        stub.always { $0.answer("[]") }
        bench.secret.withLock { $0 = .token("T1") }
        try await run { delivery, _ in
            try await bench.insert(11, 12, 13, to: delivery)
            try await eventually("all are delivered") { try await bench.cursor() == 3 }
        }
        #expect(stub.connectionCount == 1)
        let head = try #require(stub.requests.first?.lowercased())
        for line in [
            "post /pub http/1.1", "x-limit-u: anna", "x-limit-d: van", "authorization: bearer t1",
            "content-type: application/json", "user-agent: test",
        ] { #expect(head.contains(line), "\(head)") }
        #expect(!head.contains("expect:"))
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    /// Servers that never come to an end, and what is said of each.
    enum Trouble: String, CaseIterable {
        case endless, slow, silent, endlessHead

        var deed: HTTPStub.Deed {
            switch self {
            case .endless:
                {
                    $0.write(head + "Content-Length: 1073741824\r\n\r\n")
                    while $0.write([UInt8](repeating: 0x20, count: 65_536)) {}
                }
            case .slow:
                {
                    $0.write(head + "Content-Length: 100\r\n\r\n{")
                    $0.wait()
                }
            case .silent: { $0.wait() }
            case .endlessHead:
                {
                    $0.write(head)
                    while $0.write("X: " + String(repeating: "x", count: 8000) + "\r\n") {}
                }
            }
        }

        var words: String { self == .endless ? "the answer is longer than" : "it does not answer within 30 s" }
    }

    @Test(arguments: Trouble.allCases)
    func serverWithoutAnEndIsLeftAndTriedAgain(trouble: Trouble) async throws {
        stub.next(trouble.deed)
        stub.always { $0.answer("[]") }
        try await run { delivery, endTime in
            try await bench.insert(11, to: delivery)
            await stub.came(1)
            if trouble != .endless { endTime() }
            try await eventually("it is delivered", details: { "\(bench.log.lines)" }) {
                try await bench.cursor() == 1
            }
            #expect(await delivery.state.failed == 1)
        }
        #expect(stub.requests.count == 2 && stub.connectionCount == 2)
        // libcurl itself gives up at a head of some hundred kilobytes.
        #expect(
            bench.log.lines.contains { $0.contains(trouble.words) || trouble == .endlessHead && $0.contains("header") },
            "\(bench.log.lines)")
    }

    @Test func redirectionIsNotFollowed() async throws {
        let other = try HTTPStub()
        other.always { $0.answer("[]") }
        stub.always { $0.answer("", status: "307 Moved", headers: "Location: \(other.url)/pub\r\n") }
        try await run { delivery, _ in
            try await bench.insert(11, to: delivery)
            try await eventually("it stops") { await delivery.state.isStopped }
            #expect(await delivery.state.trouble?.hasPrefix("it redirects, which is not followed") == true)
        }
        #expect(other.requests.isEmpty && stub.requests.count == 3)
    }

    @Test func endOfTheProgramIsNoFailure() async throws {
        stub.always { $0.wait() }
        try await run { delivery, _ in
            try await bench.insert(11, to: delivery)
            await stub.came(1)
        }
        #expect(try await bench.cursor() == 0)
        #expect(bench.log.lines.isEmpty)
    }

    @Test func deadDestinationDelaysNoOther() async throws {
        stub.always { $0.answer("[]") }
        let (alive, dead) = (
            try bench.destination("owntracks+\(stub.url)/pub", name: "alive"),
            try bench.destination("owntracks+http://127.0.0.1:1", name: "dead")
        )
        _ = try await bench.outbox.configure(["alive": false, "dead": false], hasBroker: false)
        let client = try client()
        let deliveries = [alive, dead].map {
            HTTPDelivery($0, bench.outbox, rate: 10_000, clock: .machine, logger: bench.log.logger) {
                request, seconds throws(HTTPFailure) in try await client.send(request, within: seconds)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for delivery in deliveries {
                group.addTask {
                    await delivery.run { _, _ in
                    } _: { _ in
                    }
                }
            }
            defer { group.cancelAll() }
            for time in 11...30 {
                try await bench.insert(Int64(time))
                for delivery in deliveries { await delivery.add(1, dropped: 0) }
                await stub.came(time - 10)
            }
            try await eventually("all are noted") { try await bench.cursor("alive") == 20 }
            #expect(try await bench.outbox.progress(of: "dead")?.waiting == 20)
            try await eventually("the other fails") { await deliveries[1].state.failed > 0 }
            for delivery in deliveries { await delivery.end() }
        }
        #expect(stub.requests.count == 20)
    }

    private func openssl(_ arguments: String...) async throws {
        let outcome = try await ChildProcess("openssl", arguments).outcome()
        guard outcome.code == 0 else { throw Failure(outcome.output) }
    }

    /// A certificate that signs itself, which is its own authority.
    private func makeCertificate(_ name: String, for subject: String, until end: String = "20491231000000Z")
        async throws
    {
        try folder.write("", to: "index")
        let settings = """
            [ca]
            default_ca = authority
            [authority]
            database = \(folder("index"))
            new_certs_dir = \(folder.path)
            rand_serial = yes
            default_md = sha256
            policy = policy
            x509_extensions = names
            [policy]
            commonName = supplied
            [names]
            subjectAltName = \(subject)
            """
        try folder.write(settings, to: "ca.cnf")
        try await openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", folder("\(name).key"), "-out", folder("\(name).csr"))
        try await openssl(
            "ca", "-batch", "-notext", "-selfsign", "-config", folder("ca.cnf"), "-in", folder("\(name).csr"),
            "-keyfile", folder("\(name).key"), "-startdate", "20200101000000Z", "-enddate", end, "-out",
            folder("\(name).pem"))
    }

    @Test func certificateIsVerified() async throws {
        try await makeCertificate("right", for: "IP:127.0.0.1")
        try await makeCertificate("other", for: "IP:127.0.0.1")
        try await makeCertificate("host", for: "DNS:other.example")
        try await makeCertificate("old", for: "IP:127.0.0.1", until: "20210101000000Z")
        for (certificate, authority, words) in [
            ("right", "right", nil), ("right", "other", "certificate"), ("host", "host", "127.0.0.1"),
            ("old", "old", "expired"),
        ] {
            let port = try LoopbackPort.free()
            let server = try LoggedProcess(
                "openssl",
                [
                    "s_server", "-accept", "127.0.0.1:\(port)", "-cert", folder("\(certificate).pem"), "-key",
                    folder("\(certificate).key"), "-www",
                ])
            var reason: String?
            let client = try client(authorities: folder("\(authority).pem"))
            try await eventually("it answers", details: { server.errors }) {
                do throws(HTTPFailure) {
                    reason =
                        try await client.send(to: "https://127.0.0.1:\(port)/", within: 60).status == 200 ? nil : "?"
                } catch {
                    guard case .failed(let text) = error else { throw Failure("\(error)") }
                    reason = text
                }
                return reason?.contains("connect to") != true
            }
            #expect(
                words == nil ? reason == nil : reason?.contains(words ?? "") == true,
                "\(certificate): \(reason ?? "none")")
        }
    }
}
