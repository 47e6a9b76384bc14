/// What is sent to a server.
package struct HTTPRequest: Sendable, Equatable {
    package var url: String
    /// The body of a POST; `nil` for a GET.
    package var body: [UInt8]?
    package var contentType = "application/json"
    /// Further lines of the head, such as `X-Limit-U: anna`, without control characters.
    package var headers: [String] = []

    package init(to url: String, body: [UInt8]? = nil) { (self.url, self.body) = (url, body) }

    /// Without a type libcurl would call the body a form.
    var lines: [String] {
        ["Accept: application/json"] + (body == nil ? [] : ["Content-Type: \(contentType)"]) + headers
    }
}

/// How a server is reached.
package struct HTTPTransport: Sendable {
    /// The file of the authorities whose certificates are believed; `nil` for the system's.
    package var authorities: String?
    /// Seconds for the look-up of the host, the connection and TLS; 0 for libcurl's 300.
    package var connectTimeout = 0.0
    /// Whether proxies of the environment are ignored; those to this machine always are.
    package var isDirect = false

    package init() {}
}
