import CCurl
import Synchronization
@_spi(Programs) package import SystemSupport

/// Sends HTTP requests, each on a thread of its own; the connection is kept for the next request.
///
/// URLSession of Foundation is not used: it traps when a server closes the connection within its headers, or sends
/// headers after the body.
package final class HTTPClient: Sendable {
    private static let isLoaded = Mutex(false)

    private let userAgent: String
    private let clock: ServiceClock
    private let transport: HTTPTransport
    /// The session of the last successful exchange.
    private let idle = Mutex<CurlSession?>(nil)

    /// - Parameter library: the library's name for dlopen(3).
    /// - Throws: that libcurl is missing.
    package init(
        userAgent: String, clock: ServiceClock, transport: HTTPTransport = HTTPTransport(),
        library: String = "libcurl.so.4"
    ) throws(LibraryMissing) {
        let isLoaded = Self.isLoaded.withLock { _ in ccurl_load(library) == 0 }
        guard isLoaded else { throw LibraryMissing(name: library) }
        self.userAgent = userAgent
        self.clock = clock
        self.transport = transport
    }

    /// Sends a POST of JSON, or a GET if that is `nil`; see ``send(_:within:)``.
    package func send(
        _ json: [UInt8]? = nil, to url: String, within seconds: Double
    ) async throws(HTTPFailure) -> HTTPAnswer {
        try await send(HTTPRequest(to: url, body: json), within: seconds)
    }

    /// Sends a request and returns the response, whatever its status; redirections are not followed.
    package func send(_ request: HTTPRequest, within seconds: Double) async throws(HTTPFailure) -> HTTPAnswer {
        let exchange = HTTPExchange()
        let sleep = clock.sleep
        return try await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await sleep(.seconds(seconds))) != nil { exchange.giveUp(.timedOut) }
            }
            let result = await withTaskCancellationHandler {
                await exchange.result { self.start(exchange, request) }
            } onCancel: {
                exchange.giveUp(.cancelled)
            }
            group.cancelAll()
            return result
        }.get()
    }

    private func start(_ exchange: HTTPExchange, _ request: HTTPRequest) {
        guard let session = idle.withLock({ $0.take() }) ?? CurlSession(),
            DetachedThread.start(
                named: "http",
                { [self] in
                    guard exchange.begin(session) else { return }
                    var transport = transport
                    // A proxy cannot reach the loopback address of this machine.
                    transport.isDirect = transport.isDirect || ServiceAddress.isLoopback(request.url)
                    let result = session.send(request, userAgent: userAgent, over: transport)
                    exchange.finish(result) {
                        if case .success = result { idle.withLock { $0 = session } }
                    }
                })
        else { return exchange.giveUp(.failed("no thread or no memory is left")) }
    }
}
