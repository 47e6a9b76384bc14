import ClientTestSupport
import Foundation
import ProgramTestSupport
import Testing

/// A page in Firefox that follows the position, through Firefox's own GeoClue client.
///
/// It runs where LOCATIOND_TEST_FIREFOX names the browser; `make test-firefox` installs one and names it.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct FirefoxTests {
    private static let browser = ProcessInfo.processInfo.environment["LOCATIOND_TEST_FIREFOX"]

    /// Serves a page that sends back each location and each error that it is given.
    private static let server = """
        import http.server
        PAGE = b'''<!doctype html><title>position</title><script>
        const send = value => fetch("/", {method: "POST", body: JSON.stringify(value)});
        navigator.geolocation.watchPosition(
            ({coords}) => send({
                latitude: coords.latitude, longitude: coords.longitude, accuracy: coords.accuracy,
                altitude: coords.altitude, speed: coords.speed, heading: coords.heading}),
            error => send({error: error.code}), {enableHighAccuracy: true});
        </script>'''
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(PAGE)
            def do_POST(self):
                print(self.rfile.read(int(self.headers["Content-Length"])).decode(), flush=True)
                self.send_response(204)
                self.end_headers()
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("port", server.server_port, flush=True)
        server.serve_forever()
        """

    /// The user's consent for every page; the service in the network that would answer in place of GeoClue is nobody's.
    private static let preferences = """
        user_pref("permissions.default.geo", 1);
        user_pref("geo.provider.network.url", "http://127.0.0.1:9/");
        user_pref("browser.shell.checkDefaultBrowser", false);
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("network.captive-portal-service.enabled", false);
        """

    /// Starts the page's server and the browser on the page.
    ///
    /// - Parameters:
    ///   - environment: what tells it where to ask.
    ///   - uid: whose browser it is; `nil` for the test's own user.
    private func openPage(
        _ environment: [String: String], in folder: TemporaryFolder, preferences: String = "", uid: UInt32? = nil
    ) throws -> (server: LoggedProcess, browser: LoggedProcess) {
        let server = try LoggedProcess("/usr/bin/python3", ["-c", Self.server])
        let port = try waitUntil("the page is served", details: { server.errors }) {
            server.output.firstMatch(of: #/port (\d+)\n/#)?.1
        }
        let home = try folder.makeFolder("home", owner: uid)
        let profile = try folder.makeFolder("home/profile", owner: uid)
        try folder.write(Self.preferences + preferences, to: "home/profile/user.js")
        var command = [
            try #require(Self.browser), "--headless", "--no-remote", "--profile", profile, "http://localhost:\(port)/",
        ]
        if let uid { command = ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + command }
        let browser = try LoggedProcess(
            command[0], Array(command.dropFirst()),
            environment: environment.merging(["HOME": home, "MOZ_CRASHREPORTER_DISABLE": "1"]) { $1 })
        return (server, browser)
    }

    @Test(.enabled(if: browser != nil, "the browser is large; `make test-firefox` has it"))
    func pageSeesWhatTheDaemonSees() throws {
        let machine = try DrivenGeoClue()
        let folder = try TemporaryFolder()
        let (server, browser) = try openPage(machine.bus.environment, in: folder)
        try ReportedLocation.expectSame(
            in: server, as: machine.watch, details: { browser.errors.suffix(2000) + machine.bridge.errors })
        #expect(!server.output.contains("error"), "\(server.output)")
        #expect(try machine.daemon.locctl("clients").output.contains("GeoClue: firefox\n"))
        try close(browser, machine)
    }

    @Test(.enabled(if: browser != nil && getuid() == 0, "becoming other users takes root"))
    func administratorDecidesForThePagesUser() throws {
        // The bus looks up the groups of a user, who has to exist.
        let uid = try #require(getpwnam("games")?.pointee.pw_uid)
        let machine = try DrivenGeoClue()
        let folder = try TemporaryFolder()
        let (server, browser) = try openPage(machine.bus.environment, in: folder, uid: uid)
        try waitUntil("it is pending", details: { server.output + browser.errors + machine.bridge.errors }) {
            try machine.daemon.locctl("authorizations").output.contains("uid:\(uid)")
        }
        #expect(!server.output.contains("latitude"), "\(server.output)")
        #expect(try machine.daemon.locctl("authorize", "uid:\(uid)").code == 0)
        try ReportedLocation.expectSame(
            in: server, as: machine.watch, details: { browser.errors.suffix(2000) + machine.bridge.errors })
        try close(browser, machine)
    }

    @Test(
        .enabled(
            if: browser != nil && DesktopSession.isPossible, "sessions of other users take root and control groups"))
    func personAnswersForThePage() async throws {
        let desktop = try DesktopSession(named: "firefox", rules: DesktopSession.consent)
        let daemon = try desktop.daemon(policy: "[users-decide]\nauthorization = \"authorizedAlways\"\n")
        let bridge = try desktop.systemBus.serveGeoClue(from: daemon)
        let screen = try await NotificationDouble(on: desktop.sessionBus, uid: DesktopSession.user.number)
        let agent = try desktop.agent(of: daemon)
        let folder = try TemporaryFolder()
        let (server, browser) = try openPage(
            desktop.systemBus.environment, in: folder, uid: DesktopSession.user.number)
        let question = try await screen.nextShown()
        #expect(question.body.contains("firefox"), "\(question.body)")
        try screen.answer(question.id, "while-logged-in")
        try waitUntil(
            "the page has the position",
            details: { server.output + browser.errors.suffix(2000) + bridge.errors + agent.errors }
        ) { server.output.contains("\"latitude\":") }
        #expect(!server.output.contains("error"), "\(server.output)")
        browser.signal(SIGTERM)
        _ = try browser.wait()
        try await screen.end()
        try daemon.stop()
    }

    /// As where Firefox is in a sandbox, in which it has no system bus.
    @Test(.enabled(if: browser != nil, "the browser is large; `make test-firefox` has it"))
    func pageSeesTheSameThroughThePortal() throws {
        let machine = try DrivenGeoClue()
        let portal = try LocationPortal(systemBus: machine.bus)
        let folder = try TemporaryFolder()
        let (server, browser) = try openPage(
            portal.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"]) { $1 }, in: folder,
            preferences: #"user_pref("widget.use-xdg-desktop-portal.location", 1);"#)
        try ReportedLocation.expectSame(
            in: server, as: machine.watch, details: { "\(browser.errors.suffix(2000)) \(portal.log.suffix(2000))" })
        #expect(try machine.daemon.locctl("clients").output.contains("GeoClue: xdg-desktop-portal"))
        try close(browser, machine)
    }

    /// Ends the browser as a desktop does, and waits until the daemon has no watch for it any more.
    private func close(_ browser: LoggedProcess, _ machine: DrivenGeoClue) throws {
        browser.signal(SIGTERM)
        _ = try browser.wait(within: 60)
        try waitUntil("its watch ends with it", details: { machine.bridge.errors }) {
            try !machine.daemon.locctl("clients").output.contains("GeoClue:")
        }
        #expect(machine.bridge.exitCode == nil)
    }
}
