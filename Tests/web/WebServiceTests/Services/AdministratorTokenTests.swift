@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing
import Varlink

@testable import WebService

/// Administrators' calls by the daemon's token, as the daemon gets them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct AdministratorTokenTests {
    private static let dave = WebSessions.Principal(uid: 1004, isAdministrator: true, name: "dave", token: "secret")
    private static let onBehalf = #""onBehalfOf":{"label":"web page","uid":1004}"#

    /// Pages over a daemon that answers nothing by itself.
    private func run(_ body: (WebBench, SilentService) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let daemon = try SilentService(folder("control.sock"))
        var settings = WebSettings.unconnected
        settings.daemon = daemon.path
        try await WebBench.run(settings) { try await body($0, daemon) }
    }

    /// The parameters with which a request of a page reaches the daemon.
    private func parameters(
        _ bench: WebBench, _ daemon: SilentService, _ path: String, _ body: String, _ cookie: String,
        answer: String = #"{"parameters":{}}"#, status: Int = 200
    ) async throws -> JSONValue {
        let connection = try bench.connect()
        try await connection.send(bench.text("POST", path, bench.ownHeaders(cookie), body: body))
        let call = try await daemon.newestCall()
        try daemon.answerAll(answer + "\0")
        #expect(try await connection.reply().status == status)
        guard case .object(let members)? = WebJSON.value(Array(call.utf8), as: JSONValue.self),
            let parameters = members["parameters"]
        else { throw Failure("no call: \(call)") }
        return parameters
    }

    private func object(_ text: String) throws -> JSONValue {
        try #require(WebJSON.value(Array(text.utf8), as: JSONValue.self))
    }

    @Test func callIsOnBehalfOfTheSessionsUserWithItsToken() async throws {
        try await run { bench, daemon in
            let cookie = try await bench.signIn(as: Self.dave)
            let path = "/call/\(AdminInterface.Method.disconnect)"
            for body in [
                #"{"id":7}"#, #"{"id":7,"token":"another"}"#,
                #"{"id":7,"onBehalfOf":{"uid":0,"label":"x"},"token":null}"#,
            ] {
                let sent = try await parameters(bench, daemon, path, body, cookie)
                #expect(sent == (try object(#"{"id":7,\#(Self.onBehalf),"token":"secret"}"#)), "\(body)")
            }
            // The token is for administrators' calls alone.
            let status = "/call/\(LocationInterface.Method.getStatus)"
            #expect(
                try await parameters(bench, daemon, status, "{}", cookie) == (try object("{\(Self.onBehalf)}")))
        }
    }

    /// Where the service itself may administer, it does, whatever the page says.
    @Test func withoutATokenTheServiceItselfAdministers() async throws {
        try await run { bench, daemon in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let path = "/call/\(AdminInterface.Method.disconnect)"
            for body in [#"{"id":7}"#, #"{"id":7,"onBehalfOf":{"uid":0,"label":"x"},"token":"a"}"#] {
                let sent = try await parameters(bench, daemon, path, body, cookie)
                #expect(sent == (try object(#"{"id":7}"#)), "\(body)")
            }
        }
    }

    @Test func signingOutEndsTheToken() async throws {
        try await run { bench, daemon in
            let cookie = try await bench.signIn(as: Self.dave)
            let sent = try await parameters(bench, daemon, "/sign-out", "{}", cookie, status: 204)
            #expect(sent == (try object(#"{\#(Self.onBehalf),"token":"secret"}"#)))
            #expect(try await bench.request("GET", "/session", [cookie]).status == 401)
            // A daemon that refuses keeps nobody signed in.
            let again = try await bench.signIn(as: Self.dave)
            let refusal = #"{"error":"org.varlink.service.PermissionDenied"}"#
            _ = try await parameters(bench, daemon, "/sign-out", "{}", again, answer: refusal, status: 204)
            #expect(try await bench.request("GET", "/session", [again]).status == 401)
        }
    }

    @Test func signingOutEndsTheTokenOfABusyUser() async throws {
        let folder = try TemporaryFolder()
        let daemon = try SilentService(folder("control.sock"))
        var settings = WebSettings.unconnected
        (settings.daemon, settings.callsPerUser) = (daemon.path, 1)
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn(as: Self.dave)
            let path = "/call/\(LocationInterface.Method.getStatus)"
            let first = try bench.connect()
            try await first.send(bench.text("POST", path, bench.ownHeaders(cookie), body: "{}"))
            _ = try await daemon.newestCall()
            let other = try bench.connect()
            try await other.send(bench.text("POST", "/sign-out", bench.ownHeaders(cookie), body: "{}"))
            try await eventually("a second call") { daemon.callCount == 2 }
            #expect(try await daemon.newestCall().contains(AdminInterface.Method.revokeToken))
            try daemon.answerAll(#"{"parameters":{}}"# + "\0")
            #expect(try await other.reply().status == 204)
            #expect(try await first.reply().status == 200)
        }
    }

    @Test func tokenIsShownToNoPage() async throws {
        try await run { bench, _ in
            let cookie = try await bench.signIn(as: Self.dave)
            let session = try await bench.request("GET", "/session", [cookie]).body
            #expect(session.contains(#""isAdministrator":true"#) && !session.contains("secret"), "\(session)")
        }
    }

    /// The devices of a fleet are shown as long as the daemon takes the reader for an administrator.
    @Test func formerAdministratorIsShownNoDevices() async throws {
        let folder = try TemporaryFolder()
        let daemon = try SilentService(folder("control.sock"))
        let fleet = try SilentService(folder("devices.sock"))
        var settings = WebSettings.unconnected
        (settings.daemon, settings.fleet, settings.reviewInterval) = (daemon.path, fleet.path, 0.05)
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn(as: Self.dave)
            let page = LiveConnection(try bench.connect())
            try await page.open(bench, cookie, path: "/devices")
            let question = try await daemon.newestCall()
            #expect(question.contains(AdminInterface.Method.getStatistics) && question.contains(#""token":"secret""#))
            #expect(fleet.callCount == 0, "nothing is read before the daemon has answered")
            try daemon.answerAll(#"{"parameters":{}}"# + "\0")
            try await eventually("the list is begun") { fleet.callCount == 1 }
            _ = try await daemon.newestCall()
            try daemon.answerAll(#"{"error":"org.varlink.service.PermissionDenied"}"# + "\0")
            try await eventually("the page is closed") { page.connection.isClosed }
            #expect(try page.events().last?.name == "ended")
        }
    }
}
