package import FoundationEssentials

/// A complete HTTP response.
package struct HTTPAnswer: Sendable {
    /// The status code, such as 200.
    package var status: Int
    /// The Content-Type header.
    package var contentType: String?
    /// The Location header of a redirection.
    package var redirection: String?
    /// Seconds until the next request is allowed, if the response states it.
    package var retryAfter: Double?
    package var body: [UInt8]
}

/// Why there is no response.
package enum HTTPFailure: Error, Equatable {
    /// Described in words.
    case failed(String)
    case timedOut
    case cancelled
}

/// libcurl is missing, which only requests to the network need.
package struct LibraryMissing: Error, CustomStringConvertible {
    let name: String

    package var description: String { "\(name) is missing; install libcurl4" }
}

extension HTTPAnswer {
    /// The longest pause that a service can ask for, seconds.
    package static let longestHold = 86_400.0

    /// Seconds for which the service wants no request: of a status that says so.
    ///
    /// - Parameter usual: for a service that says "too many requests" and no time.
    package func hold(usual: Double) -> Double? {
        guard status == 429 || status == 503 else { return nil }
        return (retryAfter ?? (status == 429 ? usual : nil)).map { min($0, Self.longestHold) }
    }

    /// The body, of an answer that is JSON in UTF-8.
    package func json() throws(HTTPFailure) -> Data {
        let type = contentType?.lowercased() ?? "none"
        let isJSON = type.prefix { $0 != ";" && $0 != " " }
        guard isJSON == "application/json" || (isJSON.hasPrefix("application/") && isJSON.hasSuffix("+json")),
            !type.contains("charset=") || type.contains("charset=utf-8") || type.contains("charset=\"utf-8\"")
        else {
            throw .failed("the answer is not JSON in UTF-8 (status \(status), content type \(type.prefix(100)))")
        }
        guard !body.contains(0), String(validating: body, as: UTF8.self) != nil else {
            throw .failed("the answer is not UTF-8")
        }
        return Data(body)
    }

    /// Where a redirection leads, which is not followed; `nil` if it is none.
    package var redirectionText: String? {
        guard (300...399).contains(status) else { return nil }
        let place = redirection.map { " to \($0.prefix(200))" } ?? ""
        return "it redirects\(place), which is not followed; set the address it has moved to"
    }
}
