import ClientTestSupport
import Foundation
import TestSupport
import Testing

/// A page in Firefox that follows the position, through Firefox's own GeoClue client.
///
/// It runs where LOCATIOND_TEST_FIREFOX names the browser; `make test-firefox` installs one and names it.
@Suite(.onOwnThread, .timeLimit(.minutes(3)))
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
    private func openPage(
        _ bus: PrivateBus, in folder: TemporaryFolder
    ) throws -> (server: LoggedProcess, browser: LoggedProcess) {
        let server = try LoggedProcess("/usr/bin/python3", ["-c", Self.server])
        let port = try waitUntil("the page is served", details: { server.errors }) {
            server.output.firstMatch(of: #/port (\d+)\n/#)?.1
        }
        try folder.write(Self.preferences, to: "profile/user.js")
        let browser = try LoggedProcess(
            try #require(Self.browser),
            ["--headless", "--no-remote", "--profile", folder("profile"), "http://localhost:\(port)/"],
            environment: bus.environment.merging(["HOME": folder.path, "MOZ_CRASHREPORTER_DISABLE": "1"]) { $1 })
        return (server, browser)
    }

    @Test(.enabled(if: browser != nil, "the browser is large; `make test-firefox` has it"))
    func pageSeesWhatTheDaemonSees() throws {
        let machine = try DrivenGeoClue()
        let folder = try TemporaryFolder()
        let (server, browser) = try openPage(machine.bus, in: folder)
        try ReportedLocation.expectSame(
            in: server, as: machine.watch, details: { browser.errors.suffix(2000) + machine.bridge.errors })
        #expect(!server.output.contains("error"), "\(server.output)")
        #expect(try machine.daemon.locctl("clients").output.contains("GeoClue: firefox"))
        browser.signal(SIGTERM)
        _ = try browser.wait(within: 60)
        try waitUntil("its watch ends with it", details: { machine.bridge.errors }) {
            try !machine.daemon.locctl("clients").output.contains("GeoClue:")
        }
        #expect(machine.bridge.exitCode == nil)
    }
}
