/// A complete HTTP response.
struct HTTPAnswer: Sendable {
    /// The status code, such as 200.
    var status: Int
    /// The Content-Type header.
    var contentType: String?
    /// The Location header of a redirection.
    var redirection: String?
    /// Seconds until the next request is allowed, if the response states it.
    var retryAfter: Double?
    var body: [UInt8]
}

/// Why there is no response.
enum HTTPFailure: Error, Equatable {
    /// Described in words.
    case failed(String)
    case timedOut
    case cancelled
}
