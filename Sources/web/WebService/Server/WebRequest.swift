import NIOCore
import NIOHTTP1

/// A request of a browser, whole.
struct WebRequest {
    let method: HTTPMethod
    /// Without the query.
    let path: String
    let query: [String: String]
    let headers: HTTPHeaders
    let body: [UInt8]

    init(_ head: HTTPRequestHead, _ body: ByteBuffer) {
        method = head.method
        headers = head.headers
        self.body = Array(body.readableBytesView)
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count < 2 ? [:] : Self.query(parts[1])
    }

    /// A header that is there once.
    func header(_ name: String) -> String? {
        let values = headers[name]
        return values.count == 1 ? values[0] : nil
    }

    /// Whether an answer may be compressed (RFC 9110, 12.5.3).
    var acceptsGzip: Bool {
        headers[canonicalForm: "accept-encoding"].contains { coding in
            let parts = coding.lowercased().filter { $0 != " " && $0 != "\t" }.split(
                separator: ";", omittingEmptySubsequences: false)
            guard parts.first == "gzip" else { return false }
            return parts.count == 1 || parts[1].wholeMatch(of: /q=0(\.0*)?/) == nil
        }
    }

    /// The values of all cookies of this name: cookies know no ports, so that any service of this machine may have set
    /// one beside ours. The headers' limit bounds how many there are.
    func cookies(named name: String) -> [String] {
        headers["cookie"].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
    }

    var origin: RequestCheck.Origin {
        var origin = RequestCheck.Origin()
        origin.host = header("host")
        // A header that occurs twice is treated as one of another site: proxies and servers may read it differently.
        origin.origin = headers["origin"].count > 1 ? "several" : header("origin")
        origin.site = headers["sec-fetch-site"].count > 1 ? "several" : header("sec-fetch-site")
        origin.mark = header("x-locationd")
        return origin
    }

    private static func query(_ text: Substring) -> [String: String] {
        var query: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[decoded(parts[0])] = parts.count == 2 ? decoded(parts[1]) : ""
        }
        return query
    }

    /// Percent-encoding (RFC 3986, 2.1); what is none stays as it is.
    static func decoded(_ text: Substring) -> String {
        var (bytes, rest) = ([UInt8](), text.utf8[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            // A sign would be part of a number for Swift.
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isDigit),
                let value = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }
}

/// What is answered.
struct WebResponse {
    var status: HTTPResponseStatus
    var type = "application/json"
    var body: [UInt8] = []
    /// What is sent in place of `body`: a file that all answers share, so that it takes no memory for each.
    var file: ByteBuffer?
    var headers: [(String, String)] = []

    init(_ answer: CallGateway.Answer) {
        status = HTTPResponseStatus(statusCode: answer.status)
        body = answer.body
    }

    init(_ status: HTTPResponseStatus, type: String = "application/json", body: [UInt8] = []) {
        (self.status, self.type, self.body) = (status, type, body)
    }

    static func refused(_ status: HTTPResponseStatus, _ reason: String) -> Self {
        Self(CallGateway.Answer.failure(Int(status.code), reason))
    }

    static func redirect(to path: String) -> Self {
        var response = Self(.seeOther, type: "text/plain")
        response.headers.append(("Location", path))
        return response
    }
}
