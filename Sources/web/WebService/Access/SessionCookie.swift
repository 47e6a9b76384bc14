/// The cookie with a session's number.
enum SessionCookie {
    /// Browsers take the prefix `__Host-` only with `Secure`, and let no other host set such a cookie (RFC 6265bis,
    /// 4.1.3.2).
    ///
    /// On this machine there is plain HTTP. Chromium and Firefox take both there too, but so they do from any other
    /// port of the same address, so that nothing is gained; browsers on WebKitGTK send no `Secure` cookie without TLS.
    static func name(for browser: WebSessions.Browser) -> String {
        browser == .behindProxy ? "__Host-locationd-session" : "locationd-session"
    }

    /// The value of the header `Set-Cookie`.
    static func text(_ id: String, for browser: WebSessions.Browser) -> String {
        let attributes = "Path=/; HttpOnly; SameSite=Strict"
        return "\(name(for: browser))=\(id); \(attributes)" + (browser == .behindProxy ? "; Secure" : "")
    }
}
