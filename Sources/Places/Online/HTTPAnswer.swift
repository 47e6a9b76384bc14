/// What a server answered, whole.
struct HTTPAnswer: Sendable {
    /// Such as 200.
    var status: Int
    /// As the header says.
    var contentType: String?
    /// Where else to ask, if it says so.
    var redirection: String?
    /// Seconds for which not to ask again, if it says so.
    var retryAfter: Double?
    var body: [UInt8]
}

/// Why there is no answer.
enum HTTPFailure: Error, Equatable {
    /// In words.
    case failed(String)
    case timedOut
    case cancelled
}
