import CCurl
import Glibc

/// A libcurl connection with its last answer.
///
/// Ownership: the holder of a session for an exchange uses it exclusively, except for ``stop()``, which libcurl allows
/// on any thread; a session is freed when nothing refers to it. So it may cross threads.
final class CurlSession: @unchecked Sendable {
    /// The maximum length of an answer, bytes; a longer one fails.
    static let longestBody = 1 << 20

    private let session: OpaquePointer

    /// - Returns: `nil` if memory is exhausted.
    init?() {
        guard let session = ccurl_open() else { return nil }
        self.session = session
    }

    deinit {
        ccurl_close(session)
    }

    /// Cancels the exchange in progress; the session cannot be used after that.
    func stop() {
        ccurl_stop(session)
    }

    private final class Body {
        var bytes: [UInt8] = []
        var isTooLong = false
    }

    /// Sends a request and blocks until the answer; the thread is left with SIGPIPE blocked.
    func send(_ request: HTTPRequest, userAgent: String, over transport: HTTPTransport) -> Result<
        HTTPAnswer, HTTPFailure
    > {
        guard request.lines.allSatisfy({ ccurl_add_header(session, $0) == 0 }) else {
            return .failure(.failed("no memory is left"))
        }
        let body = Body()
        let code = withExtendedLifetime(body) {
            ccurl_send(
                session, request.url, userAgent, transport.authorities, request.body, request.body?.count ?? 0,
                Int(transport.connectTimeout * 1000), transport.isDirect ? 1 : 0,
                { bytes, _, length, context in
                    guard let bytes, let context else { return 0 }
                    let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
                    guard body.bytes.count + length <= CurlSession.longestBody else {
                        body.isTooLong = true
                        return 0
                    }
                    body.bytes += UnsafeRawBufferPointer(start: bytes, count: length)
                    return length
                }, Unmanaged.passUnretained(body).toOpaque())
        }
        if body.isTooLong { return .failure(.failed("the answer is longer than \(Self.longestBody) bytes")) }
        guard code == 0 else { return .failure(.failed(String(cString: ccurl_error(session, code)))) }
        let seconds = ccurl_retry_after(session)
        return .success(
            HTTPAnswer(
                status: ccurl_status(session), contentType: ccurl_content_type(session).map { String(cString: $0) },
                redirection: ccurl_redirection(session).map { String(cString: $0) },
                retryAfter: seconds > 0 ? Double(seconds) : nil, body: body.bytes))
    }
}
