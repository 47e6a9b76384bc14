/// Content Security Policy Level 3: scripts and styles are our files alone, and images too but for the map's.
enum ContentPolicy {
    static func text(tiles: WebSettings.Tiles?) -> String {
        let tileOrigin = tiles.flatMap { URLOrigin.of($0.url) }.map { " \($0)" } ?? ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:\(tileOrigin); "
            + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
}

/// The scheme, host and port of a URL.
package enum URLOrigin {
    /// - Returns: `nil` if the text is no http or https URL. A first label with `{s}`, one of several hosts, becomes
    ///   `*`: Content Security Policy has no other pattern.
    package static func of(_ url: String) -> String? {
        let pattern = /(https?:\/\/)([A-Za-z0-9\-]*\{s\}[A-Za-z0-9\-]*(?=\.))?([A-Za-z0-9.\-]+(?::[0-9]{1,5})?)\/\S*/
        return url.wholeMatch(of: pattern).map { "\($0.1)\($0.2 == nil ? "" : "*")\($0.3)" }
    }
}
