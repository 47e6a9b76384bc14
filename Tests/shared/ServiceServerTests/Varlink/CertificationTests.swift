import Glibc
@_spi(Programs) import LocationKit
import NIOCore
import NIOPosix
import ProgramTestSupport
import ServiceServer
import Synchronization
@_spi(Programs) import SystemSupport
import Testing
import Varlink

/// The transports of server and client against the certification of another implementation, Debian's `varlink-go`.
///
/// Where the program is missing, these tests fail.
@Suite(.timeLimit(.minutes(10)))
struct CertificationTests {
    private static let program = "varlink-go-certification"

    @Test func serverIsCertifiedByTheOthersClient() async throws {
        let folder = try TemporaryFolder()
        let path = folder("certification.sock")
        let isCertified = Mutex(false)
        let loop = ServiceLoop()
        let numbers = UserLimits.Numbers(connections: 10, connectionsPerUser: 10, callsPerSecond: 100)
        let (service, limits) = try await loop.run {
            (
                loop.bind(CertificationService { isCertified.withLock { $0 = true } }),
                loop.bind(UserLimits(numbers, loop: loop))
            )
        }
        let endpoint = try Listener.Endpoint(
            .bind(path: path, mode: 0o600, group: nil), sendBuffer: 65_536, requestLimit: 65_536
        ) { _, _, _ in service.value }
        let listener = try Listener(
            [endpoint], on: loop, limits: limits, connectionsPerSecond: 100, isExempt: { _ in false }, refused: { _ in }
        )

        let client = try ChildProcess(Self.program, ["-varlink", "unix:\(path)", "-client"])
        let outcome = try await client.outcome()
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(isCertified.withLock { $0 }, "\(outcome.output)")
        await listener.close()
        try await loop.shutDown()
    }

    @Test func clientIsCertifiedByTheOthersServer() async throws {
        let folder = try TemporaryFolder()
        let path = folder("certification.sock")
        let server = try ChildProcess(Self.program, ["-varlink", "unix:\(path)"])
        let certified = try await blocking { Result { try Self.certify(path: path) } }
        try await server.end()
        let (replies, end) = try certified.get()
        #expect(replies > 1)
        #expect(end == ["all_ok": .bool(true)])
    }

    /// Goes through all steps; each gives back what the one before got.
    /// - Returns: the number of replies of the step that has several, and what the last step answers.
    private static func certify(path: String) throws -> (replies: Int, end: [String: JSONValue]) {
        let connection = try connected(to: path)
        func call(_ method: String, _ parameters: [String: JSONValue] = [:]) throws -> [String: JSONValue] {
            try connection.call(
                "org.varlink.certification.\(method)", parameters, as: [String: JSONValue].self, seconds: 10)
        }
        guard let id = try call("Start")["client_id"] else { throw Failure("no client_id") }
        var last: [String: JSONValue] = [:]
        for step in 1...9 {
            last["client_id"] = id
            last = try call("Test0\(step)", last)
        }
        last["client_id"] = id
        try connection.send("org.varlink.certification.Test10", last, more: true)
        var replies: [JSONValue] = []
        while true {
            guard let reply = try connection.nextReply(seconds: 10),
                let text = try reply.answer(as: [String: JSONValue].self)["string"]
            else { throw Failure("a reply is missing") }
            replies.append(text)
            if !reply.continues { break }
        }
        try connection.send(
            "org.varlink.certification.Test11", ["client_id": id, "last_more_replies": .list(replies)], oneway: true)
        return (replies.count, try call("End", ["client_id": id]))
    }

    /// Connects once the server listens.
    private static func connected(to path: String) throws -> VarlinkConnection {
        guard let waker = Waker() else { throw Failure("no descriptor is left") }
        return try waitUntil("the server listens at \(path)") { try? VarlinkConnection(path: path, waker: waker) }
    }
}
