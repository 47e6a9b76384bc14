import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import WebService

extension WebBench {
    /// Ten fixes a second.
    static let simulator = "[[sources]]\nkind = \"simulator\"\nrate = 10\n"

    /// Serves during `body`, over a daemon of the test's own.
    static func run(
        daemon configuration: String = simulator, _ change: (inout WebSettings) -> Void = { _ in },
        _ body: (WebBench, DaemonProcess) async throws -> Void
    ) async throws {
        let daemon = try await DaemonProcess.started(configuration)
        var settings = WebSettings.unconnected
        settings.daemon = daemon.control
        change(&settings)
        try await run(settings) { try await body($0, daemon) }
        try await daemon.end()
    }

    /// Opens a page, and waits for the head of its events.
    func page(_ cookie: String, receiveBuffer: Int32? = nil) async throws -> LiveConnection {
        let page = LiveConnection(try connect(receiveBuffer: receiveBuffer))
        try await page.open(self, cookie)
        return page
    }
}

extension DaemonProcess {
    /// The daemon's watches that are for pages.
    func webWatches() async throws -> [ClientReport] {
        try await blocking { [self] in
            try administer(AdminInterface.Method.listClients, as: ClientList.self).clients.filter {
                $0.label == "web page" && $0.request == "Watch"
            }
        }
    }

    /// Decides what the benches' user may know.
    func decide(
        _ answer: SetAuthorizationParameters.Answer, _ accuracy: SetAuthorizationParameters.Accuracy? = nil
    ) async throws {
        let parameters = SetAuthorizationParameters(
            principal: "uid:\(WebBench.user.uid)", authorization: answer, accuracy: accuracy)
        _ = try await blocking { [self] in try administer(AdminInterface.Method.setAuthorization, parameters) }
    }
}
