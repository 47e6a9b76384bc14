import NIOCore
import NIOHTTP1
import ServedPrograms

/// One connection of a browser: its requests one after another, in bounded time and size.
///
/// Ownership: everything belongs to the channel's event loop.
final class WebConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Bytes of a request's body.
    private static let bodyLimit = 65_536
    /// Seconds that a request may take to arrive, and that a connection may be without one.
    private static let (arrivalTime, idleTime) = (TimeAmount.seconds(10), TimeAmount.seconds(60))

    private let router: WebRouter
    private let browser: WebSessions.Browser
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var timer: Scheduled<Void>?
    private var page: LivePage?
    private var pageUser: UInt32 = 0
    private var relay: DeviceRelay?
    /// True once the last answer is written: what still arrives is ignored.
    private var isClosing = false

    /// - Parameter browser: whose it is, as far as the kernel says.
    init(_ site: WebSite, browser: WebSessions.Browser) {
        (router, self.browser) = (WebRouter(site: site), browser)
    }

    func handlerAdded(context: ChannelHandlerContext) { closeLater(Self.arrivalTime, context) }

    private func closeLater(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = channel.eventLoop.assumeIsolated().scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch unwrapInboundIn(data) {
        case .head(let new):
            (head, body) = (new, ByteBuffer())
            closeLater(Self.arrivalTime, context)
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= Self.bodyLimit else {
                return refuse(.payloadTooLarge, "a request has at most 64 KiB", context)
            }
            body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            self.head = nil
            timer?.cancel()
            answer(WebRequest(head, body), head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isClosing else { return }
        switch error as? HTTPParserError {
        case .headerOverflow?: refuse(.requestHeaderFieldsTooLarge, "the headers have at most 16 KiB", context)
        case nil: context.close(promise: nil)
        default: refuse(.badRequest, "this is no request of HTTP/1.1", context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            page?.resume()
            relay?.resume()
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        if let page { router.site.remove(page, of: pageUser) }
        page = nil
        if let relay { router.site.remove(relay) }
        relay = nil
        context.fireChannelInactive()
    }

    // MARK: Answers

    private func answer(_ request: WebRequest, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch router.answer(request, browser: browser) {
        case .response(let response): send(response, to: head, context)
        case .live(let uid, let session): beginEvents(uid, session, head, context)
        case .devices(let session): beginDevices(session, head, context)
        case .regions(let change, let uid):
            // In case that the daemon hangs.
            closeLater(Self.idleTime, context)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            router.site.change(change, of: uid) { [weak self] failure in
                self?.send(failure.map(WebResponse.init) ?? WebResponse(.noContent), to: head, bound.value)
            }
        case .later(let uid, let work):
            guard router.site.beginCall(of: uid) else {
                return send(
                    .refused(.tooManyRequests, "too many calls at a time; try again in a moment"), to: head, context)
            }
            let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            let eventLoop = context.eventLoop
            Task {
                let response = await work()
                eventLoop.execute {
                    connection.value.router.site.endCall(of: uid)
                    connection.value.send(response, to: head, bound.value)
                }
            }
        }
    }

    private func refuse(_ status: HTTPResponseStatus, _ reason: String, _ context: ChannelHandlerContext) {
        head = nil
        writeLast(.refused(status, reason), withBody: true, context)
    }

    private func send(_ response: WebResponse, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard head.isKeepAlive else { return writeLast(response, withBody: head.method != .HEAD, context) }
        closeLater(Self.idleTime, context)
        write(response, withBody: head.method != .HEAD, context, promise: nil)
    }

    /// Closes the connection as soon as the browser has the answer, or reads it too slowly.
    private func writeLast(_ response: WebResponse, withBody: Bool, _ context: ChannelHandlerContext) {
        isClosing = true
        closeLater(Self.idleTime, context)
        var response = response
        response.headers.append(("Connection", "close"))
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        write(response, withBody: withBody, context, promise: written)
    }

    private func write(
        _ response: WebResponse, withBody: Bool, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        var head = HTTPResponseHead(version: .http1_1, status: response.status)
        head.headers = headers(type: response.type, further: response.headers)
        if response.status != .noContent, response.status != .notModified {
            head.headers.add(name: "Content-Length", value: "\(response.body.count)")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if withBody, !response.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    }

    private func beginEvents(
        _ uid: UInt32, _ session: String, _ request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        let page = LivePage(
            context.channel, session: session, browser: browser, write: beginEvents(request, context))
        (self.page, pageUser) = (page, uid)
        do {
            try router.site.add(page, of: uid)
        } catch {
            context.close(promise: nil)
        }
    }

    private func beginDevices(_ session: String, _ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let relay = DeviceRelay(
            context.channel, session: session, browser: browser, write: beginEvents(request, context))
        guard router.site.add(relay) else { return context.close(promise: nil) }
        self.relay = relay
    }

    /// Begins an answer without an end.
    /// - Returns: what writes a part of it.
    private func beginEvents(
        _ request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) -> (ByteBuffer) -> Void {
        // A client of HTTP/1.0 knows no chunks.
        var head = HTTPResponseHead(version: request.version, status: .ok)
        head.headers = headers(type: "text/event-stream", further: [])
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        return { [weak self] bytes in
            guard let self else { return }
            bound.value.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        }
    }

    private func headers(type: String, further: [(String, String)]) -> HTTPHeaders {
        var headers = HTTPHeaders(further)
        headers.add(name: "Content-Type", value: type)
        headers.add(name: "Content-Security-Policy", value: router.site.contentPolicy)
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Referrer-Policy", value: "no-referrer")
        headers.add(name: "Cross-Origin-Opener-Policy", value: "same-origin")
        headers.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        // A position is nothing for a cache.
        if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-store") }
        return headers
    }
}
