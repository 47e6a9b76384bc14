import ArgumentParser
import Glibc
import LocationInterface
import LocationKit
import SystemSupport
import Varlink
import WebInterface

/// `locctl web`: a link to the pages.
struct WebCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Prints a link to the pages of locationd-web, and opens it in a desktop's browser.",
        discussion: """
            The link works once, within a minute, and the pages show what you may know. Administrators can administer the service \
            there.
            """)

    @Option(help: ArgumentHelp("The socket of locationd-web.", valueName: "path"), completion: .file())
    var webSocket: String?

    @Flag(help: "Print the link only.")
    var print = false

    @Flag(help: "Answer in JSON.")
    var json = false

    func run() throws {
        let link = try link()
        guard !json else { return try Output.writeJSON(link) }
        Output.write(link.url)
        if !print { Self.open(link.url) }
    }

    private func link() throws -> WebInterface.Link {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        let path = webSocket ?? WebInterface.socketPaths.first { access($0, W_OK) == 0 } ?? WebInterface.socketPaths[1]
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: path, waker: waker, patience: 15)
            return try connection.call(WebInterface.Method.createLink, as: WebInterface.Link.self)
        } catch {
            throw Failure(code: error.exitCode, message: Self.words(error))
        }
    }

    private static func words(_ error: LocationError) -> String {
        switch error {
        case .daemonNotRunning(let path, let reason):
            "locationd-web cannot be reached at \(path) (\(reason)); install the package locationd-web, or "
                + "`sudo systemctl enable --now locationd-web.socket`"
        case .refused(let error, let reason): "locationd-web: \(reason ?? error)"
        default: "\(error)"
        }
    }

    /// Becomes the desktop's opener of links; without a desktop, or as root, who has no browser, nothing is opened.
    private static func open(_ url: String) {
        guard geteuid() != 0, isatty(STDOUT_FILENO) == 1, getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil
        else { return }
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(url), nil]
        execv("/usr/bin/xdg-open", words)
        // It is not installed: the link is printed all the same.
        for word in words { free(word) }
    }
}
