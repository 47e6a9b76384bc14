import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing
import WebService

/// Calls of the pages, over a real daemon: on whose behalf, and which.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CallGatewayTests {
    private static let getStatus = LocationInterface.Method.getStatus

    @Test func callIsMadeForTheSessionsUser() async throws {
        try await WebBench.run { bench, daemon in
            let (user, root) = (try await bench.signIn(), try await bench.signIn(as: WebBench.administrator))
            func authorization(_ cookie: String, _ body: String = "{}") async throws -> String {
                let reply = try await bench.call(Self.getStatus, body, cookie)
                return (try #require(reply.body.firstMatch(of: /"authorization":"([A-Za-z]+)"/))).1.description
            }
            #expect(try await authorization(root) == "authorizedAlways")
            #expect(try await authorization(user) == "notDetermined")
            // What a page says of its user counts for nothing.
            for name in [#"{"uid":0}"#, #"{"uid":0,"label":"x"}"#, "null", "0"] {
                #expect(try await authorization(user, #"{"onBehalfOf":\#(name)}"#) == "notDetermined", "\(name)")
                #expect(
                    try await authorization(user, #"{"onBehalfOf":{"uid":0},"onBehalfOf":\#(name)}"#) == "notDetermined"
                )
            }
            let request = try await bench.call(
                LocationInterface.Method.requestAuthorization, #"{"level":"always","purpose":"my page"}"#, user)
            #expect(request.status == 200 && request.body.contains(#""authorizationPending":true"#))
            try await daemon.decide(.authorizedAlways)
            #expect(try await authorization(user) == "authorizedAlways")
        }
    }

    @Test func locationIsWhatIsKnownAndOfThePagesUser() async throws {
        try await WebBench.run { bench, _ in
            let (user, root) = (try await bench.signIn(), try await bench.signIn(as: WebBench.administrator))
            let body = #"{"maximumAge":1000,"timeout":0.1,"passive":false,"onBehalfOf":{"uid":0,"label":"x"}}"#
            let refused = try await bench.call(LocationInterface.Method.getLocation, body, user)
            #expect(refused.status == 403 && refused.body.contains("NotAuthorized"))
            // No receiver is started, so that nothing comes.
            let none = try await bench.call(LocationInterface.Method.getLocation, body, root)
            #expect(none.status == 422, "\(none)")
            let page = try await bench.page(root)
            try await page.await("a location") { _ in try !page.locations().isEmpty }
            let known = try await bench.call(LocationInterface.Method.getLocation, body, root)
            #expect(known.status == 200 && known.body.contains("\"latitude\""), "\(known)")
        }
    }

    @Test func administrationIsForAdministrators() async throws {
        try await WebBench.run { bench, _ in
            let (user, root) = (try await bench.signIn(), try await bench.signIn(as: WebBench.administrator))
            let own = #"{"principal":"uid:61234","authorization":"authorizedAlways"}"#
            for (method, body) in [
                (AdminInterface.Method.setAuthorization, own), (AdminInterface.Method.stop, "{}"),
                (AdminInterface.Method.start, "{}"),
                (AdminInterface.Method.listClients, "{}"), (AdminInterface.Method.disconnect, #"{"id":1}"#),
                (AdminInterface.Method.listAuthorizations, "{}"),
                (AdminInterface.Method.resetAuthorization, #"{"principal":"uid:0"}"#),
                (AdminInterface.Method.getHistory, "{}"), (AdminInterface.Method.getStatistics, "{}"),
                (AdminInterface.Method.reload, "{}"),
                (AdminInterface.Method.setSource, #"{"name":"simulator","enabled":false}"#),
            ] {
                let reply = try await bench.call(method, body, user)
                #expect(reply.status == 403 && reply.body.contains("this is for administrators"), "\(method)")
            }
            let status = try await bench.call(Self.getStatus, "{}", user)
            #expect(
                status.body.contains(#""authorization":"notDetermined""#) && status.body.contains(#""enabled":true"#))
            #expect(try await bench.call(AdminInterface.Method.listClients, "{}", root).status == 200)
            #expect(try await bench.call(AdminInterface.Method.stop, "", root).status == 200)
            #expect(try await bench.call(Self.getStatus, "{}", user).body.contains(#""enabled":false"#))
            #expect(try await bench.call(AdminInterface.Method.start, "{}", root).body == "{}")
            #expect(try await bench.call(AdminInterface.Method.setAuthorization, own, root).status == 200)
            #expect(try await bench.call(Self.getStatus, "{}", user).body.contains("authorizedAlways"))
        }
    }

    /// At the daemon's socket for all programs an administrator's rights come by the session's token alone.
    @Test func tokenOfTheDaemonAdministers() async throws {
        let daemon = try await DaemonProcess.started(WebBench.simulator)
        var settings = WebSettings.unconnected
        settings.daemon = daemon.socket
        try await WebBench.run(settings) { bench in
            let token = try await blocking {
                try daemon.administer(AdminInterface.Method.createToken, as: CreateTokenReply.self).token
            }
            func signIn(_ token: String?) async throws -> String {
                try await bench.signIn(as: .init(uid: geteuid(), isAdministrator: true, token: token))
            }
            let (first, second) = (try await signIn(token), try await signIn(token))
            let own = #"{"principal":"uid:61234","authorization":"authorizedAlways"}"#
            #expect(try await bench.call(AdminInterface.Method.setAuthorization, own, first).status == 200)
            #expect(try await bench.call(AdminInterface.Method.listClients, "{}", second).status == 200)
            for other in [nil, String(repeating: "0", count: token.utf8.count)] {
                let refused = try await bench.call(AdminInterface.Method.stop, "{}", try await signIn(other))
                #expect(refused.status >= 400, "\(refused)")
            }
            #expect(try await bench.call(Self.getStatus, "{}", second).body.contains(#""enabled":true"#))
            // The end of a session is that of its token.
            #expect(try await bench.request("POST", "/sign-out", bench.ownHeaders(first)).status == 204)
            #expect(try await bench.call(AdminInterface.Method.listClients, "{}", second).status == 403)
        }
        try await daemon.end()
    }

    @Test func errorOfAServiceIsPassedOn() async throws {
        try await WebBench.run { bench, _ in
            let root = try await bench.signIn(as: WebBench.administrator)
            let wrong = try await bench.call(AdminInterface.Method.disconnect, #"{"id":"one"}"#, root)
            #expect(wrong.status == 422 && wrong.body.contains(#""error":"org.varlink.service.InvalidParameter""#))
            #expect(wrong.body.contains(#""parameter":"id""#))
            let level = try await bench.call(LocationInterface.Method.requestAuthorization, #"{"level":"ever"}"#, root)
            #expect(level.status == 422)
        }
    }

    /// The pages' methods, and no others of the same services.
    @Test(arguments: [
        "", "/", "GetStatus", "org.locationd.location.Watch", "org.locationd.location.Monitor",
        "org.locationd.location.getstatus",
        "org.locationd.location.GetStatus/", "org.locationd.location.GetStatus?a=b&c",
        "org.locationd.location%2EGetStatus",
        "org.locationd.admin.Simulate", "org.locationd.admin.SetLogLevel", "org.locationd.admin.Suspend",
        "org.locationd.admin.Watch",
        "org.varlink.service.GetInfo", "org.varlink.service.GetInterfaceDescription", "org.locationd.web.CreateLink",
        "../session",
    ])
    func otherMethodsAreUnknown(method: String) async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let reply = try await bench.call(method, "{}", cookie)
            // A query is none of a call's; the daemon, which is not there, would be asked.
            #expect(reply.status == (method.contains("?") ? 502 : 404), "\(reply)")
        }
    }

    @Test(arguments: [
        "[]", "1", "null", "\"a\"", "{", "{}{}", "nul", "\u{0}", "{\"a\":}", #"{"a":1e999}"#,
        String(repeating: "[", count: 60_000),
    ])
    func parametersAreAnObject(body: String) async throws {
        try await WebBench.run { bench in
            let reply = try await bench.call(Self.getStatus, body, try await bench.signIn())
            #expect(reply.status == 400 && reply.body.contains("the parameters are no JSON object"), "\(reply)")
        }
    }

    private static let history =
        "\"locationd-history does not answer at /nonexistent/history.sock; `sudo systemctl enable --now locationd-history` switches it on\""
    private static let places =
        "\"locationd-places does not answer at /nonexistent/places.sock; install the package locationd-places\""

    @Test(arguments: [
        (LocationInterface.Method.getStatus, "locationd cannot be reached at /nonexistent/control.sock"),
        (AdminInterface.Method.listClients, "locationd cannot be reached at /nonexistent/control.sock"),
        (HistoryInterface.Method.getTrips, history), (HistoryInterface.Method.getTrack, history),
        (PlacesInterface.Method.geocode, places), (PlacesInterface.Method.reverseGeocode, places),
    ])
    func absentServiceIsSaidByItsNameWithWhatToDo(method: String, words: String) async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let reply = try await bench.call(method, "{}", cookie)
            #expect(reply.status == 502 && reply.body.contains(words), "\(reply)")
            guard method == HistoryInterface.Method.getTrack else { return }
            let track = try await bench.request("GET", "/track.gpx", [cookie])
            #expect(
                track.status == 502 && track.body.contains(words) && track.header("content-type") == "application/json")
        }
    }

    /// A service that is there, and breaks off, or sends nonsense.
    @Test func brokenAnswerIsNoAnswer() async throws {
        let folder = try TemporaryFolder()
        let silent = try SilentService(folder("places.sock"))
        var settings = WebSettings.unconnected
        settings.places = silent.path
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            let connection = try bench.connect()
            let call = bench.text(
                "POST", "/call/\(PlacesInterface.Method.geocode)", bench.ownHeaders(cookie), body: #"{"text":"a"}"#)
            for answer in ["", "nonsense\0", "{\"continues\":true}\0", "[1]\0"] {
                let count = silent.callCount
                try await connection.send(call)
                try await eventually("it is asked") { silent.callCount > count }
                try silent.answerAll(answer)
                let reply = try await connection.reply()
                #expect(reply.status == 502, "\(reply)")
            }
        }
    }
}
