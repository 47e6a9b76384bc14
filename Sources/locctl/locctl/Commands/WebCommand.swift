import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// `locctl web`: a link to the pages.
struct WebCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Prints a link to the pages of locationd-web, and opens it in a desktop's browser.",
        discussion: """
            The link works once, within a minute, in a browser of your user alone, and the pages show what you may know. Administrators \
            can administer the service there: with sudo the link opens in the browser of who runs sudo.
            """)

    @Option(help: ArgumentHelp("The socket of locationd-web.", valueName: "path"), completion: .file())
    var webSocket: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Root only: make a link that opens in this user's browser.", valueName: "user"),
        completion: .users)
    var user: String?

    @Flag(help: "Make a link for the pages behind a proxy, which opens in any browser: keep it to yourself.")
    var proxy = false

    @Flag(help: "Print the link only.")
    var print = false

    @Flag(help: "Answer in JSON.")
    var json = false

    func run() throws {
        let opener = try opener()
        let link = try link(WebInterface.LinkRequest(token: token(), uid: opener, proxy: proxy ? true : nil))
        // A link of http is for browsers of this machine.
        if geteuid() == 0, opener == nil, link.url.hasPrefix("http:") {
            Output.write(
                "locctl: the link opens in root's own browser alone; --for USER makes one for another user's",
                to: STDERR_FILENO)
        }
        guard !json else { return try Output.writeJSON(link) }
        Output.write(link.url)
        if !print { Self.open(link.url) }
    }

    /// Whose browser opens the link; `nil` for the caller's.
    private func opener() throws -> UInt32? {
        guard let user else { return SudoUser.uid }
        guard let uid = UserTable.uid(of: user) ?? UInt32(user) else {
            throw Failure(code: ExitCodes.failed, message: "there is no user \(user)")
        }
        return uid
    }

    private var path: String {
        webSocket ?? WebInterface.socketPaths.first { access($0, W_OK) == 0 } ?? WebInterface.socketPaths[1]
    }

    private func link(_ request: WebInterface.LinkRequest) throws -> WebInterface.Link {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: path, waker: waker, patience: 15)
            return try connection.call(WebInterface.Method.createLink, request, as: WebInterface.Link.self)
        } catch {
            throw Failure(code: error.exitCode, message: Self.words(error))
        }
    }

    private static func words(_ error: LocationError) -> String {
        switch error {
        case .daemonNotRunning(let path, let reason):
            "locationd-web cannot be reached at \(path) (\(reason)); install the package locationd-web, or "
                + "`sudo systemctl enable --now locationd-web.socket`"
        case .unauthorized: "only root may make a link for another user; leave --for out"
        case .refused(WebInterface.Failure.noProxy, _):
            "locationd-web has no socket for a proxy; `sudo systemctl enable --now locationd-web-unix.socket`"
        case .refused(let error, let reason): "locationd-web: \(reason ?? error)"
        default: "\(error)"
        }
    }

    /// The daemon's token with which the pages administer it; `nil` if the caller is no administrator.
    private func token() -> String? {
        // At the socket for everybody a token does not count.
        guard path != WebInterface.socketPaths[1], let control = SocketPath.control, let waker = Waker() else {
            return nil
        }
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: control, waker: waker, patience: 5)
            return try connection.call(AdminInterface.Method.createToken, as: CreateTokenReply.self).token
        } catch {
            switch error {
            case .unauthorized, .refused: break
            default: Output.write("locctl: \(error); the pages will not administer the service", to: STDERR_FILENO)
            }
            return nil
        }
    }

    /// Becomes the desktop's opener of files; without a desktop, or as root, who has no browser, nothing is opened.
    private static func open(_ url: String) {
        guard geteuid() != 0, isatty(STDOUT_FILENO) == 1, getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil,
            let file = RedirectFile.write(leadingTo: url)
        else { return }
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(file), nil]
        execvp("xdg-open", words)
        // It is not installed: the link is printed all the same.
        for word in words { free(word) }
        unlink(file)
    }
}
