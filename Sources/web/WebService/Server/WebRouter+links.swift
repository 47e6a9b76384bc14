import NIOHTTP1

/// How links are opened.
///
/// On this machine a link opens for the browser of the user it is for, by whatever it was followed from: nobody else
/// can have made it, so that nobody is signed in as somebody else by it. Behind a proxy nobody knows whose browser it
/// is, and somebody may be sent the link of another user, to draw regions or to look for places before that user's
/// eyes. There a page names the user and asks first. The link's token is after `#`, which browsers do not send: neither
/// a proxy's log nor this service has it before the answer is yes.
extension WebRouter {
    /// The header with a link's token.
    private static let linkHeader = "x-locationd-link"

    private struct LinkReply: Encodable {
        let uid: UInt32
        /// The user's name, where the machine knows one.
        let user: String?
        let isAdministrator: Bool
    }

    /// GET of a link.
    func open(_ request: WebRequest, _ browser: WebSessions.Browser) -> WebResponse {
        if browser == .behindProxy, let page = site.files["/sign-in.html"] { return response(page, request) }
        // HEAD is of programs that look at what a link leads to.
        guard browser != .behindProxy, request.method == .GET,
            let id = site.open(request.query["token"] ?? "", browser: browser)
        else { return signedOut(isPage: true) }
        var response =
            switch request.origin.site {
            case nil, "none", "same-origin": WebResponse.redirect(to: "/")
            default: Self.continuation
            }
        response.headers.append(("Set-Cookie", SessionCookie.text(id, for: browser)))
        return response
    }

    /// Leads on to the pages from a page of our own: browsers do not send a cookie that is `SameSite=Strict` where
    /// another page, as the file of `locctl web`, has led to a redirection.
    private static var continuation: WebResponse {
        let text = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta http-equiv="refresh" content="0; url=/">
            <title>locationd</title>
            <p><a href="/">locationd</a></p>

            """
        return WebResponse(.ok, type: "text/html; charset=utf-8", body: Array(text.utf8))
    }

    /// What the page of a link behind a proxy asks for: whose link it is, and then the session.
    ///
    /// - Returns: `nil` if it asks for something else.
    func confirmation(of request: WebRequest, _ browser: WebSessions.Browser) -> WebResponse? {
        guard browser == .behindProxy, ["/link", "/open"].contains(request.path) else { return nil }
        let token = request.header(Self.linkHeader) ?? ""
        guard let principal = site.principal(ofLink: token, for: browser) else { return signedOut(isPage: false) }
        guard request.path == "/open" else {
            let reply = LinkReply(
                uid: principal.uid, user: principal.name, isAdministrator: principal.isAdministrator)
            return WebResponse(.ok, body: WebJSON.bytes(reply) ?? [])
        }
        guard let id = site.open(token, browser: browser) else { return signedOut(isPage: false) }
        var response = WebResponse(.noContent)
        response.headers.append(("Set-Cookie", SessionCookie.text(id, for: browser)))
        return response
    }
}
