import NIOCore
import NIOHTTP1

/// One connection of a browser: its requests one after another, in bounded time and size.
///
/// Ownership: everything belongs to the channel's event loop.
final class WebConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Bytes of an answer that are not counted as held.
    private static let shortAnswer = 1024
    /// Bytes of a request's body.
    private static let bodyLimit = 65_536
    /// Seconds for which the connection of a user who makes too many requests is not served.
    private static let holdTime = TimeAmount.seconds(1)

    private let router: WebRouter
    /// In the table of connections.
    private let number: Int
    private let browser: WebSessions.Browser
    /// Whose share the present request and its answer use.
    private var payer = UserShares.strangers
    /// Bytes that are held for the body.
    private var heldBytes = 0
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var timer: Scheduled<Void>?
    private var page: LivePage?
    private var pageUser: UInt32 = 0
    private var relay: DeviceRelay?
    /// True while a track is being sent.
    var hasBegunTrack = false
    /// True once the last answer is written: what still arrives is ignored.
    private(set) var isClosing = false

    /// - Parameters:
    ///   - number: the connection's number in the table of connections.
    ///   - browser: the user whose browser has connected, as far as the kernel says.
    init(_ site: WebSite, number: Int, browser: WebSessions.Browser) {
        (router, self.number, self.browser) = (WebRouter(site: site), number, browser)
    }

    var site: WebSite { router.site }

    func handlerAdded(context: ChannelHandlerContext) { closeLater(site.arrivalTime, context) }

    func closeLater(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = channel.eventLoop.assumeIsolated().scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch unwrapInboundIn(data) {
        case .head(let new):
            (head, body) = (new, ByteBuffer())
            closeLater(site.arrivalTime, context)
            admit(new, context)
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

    /// Decides by a request's head whether it is served, before anything of its body is read.
    private func admit(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let principal = router.session(of: WebRequest(head, ByteBuffer()), browser)?.principal
        payer = browser.uid ?? principal?.uid ?? UserShares.strangers
        if let principal, !site.connections.identify(number, as: principal.uid) {
            return refuseForNow("you have too many connections; close some pages", head, context)
        }
        // A body whose length is not said may have any.
        let length =
            head.headers.first(name: "content-length").flatMap { Int($0) }
            ?? (head.headers.contains(name: "transfer-encoding") ? Self.bodyLimit : 0)
        guard length <= Self.bodyLimit else {
            return refuse(.payloadTooLarge, "a request has at most 64 KiB", context)
        }
        guard site.shares.spend(bodyBytes: max(0, length), of: payer) else {
            return refuseForNow("too many requests; try again in a moment", head, context)
        }
        guard site.shares.hold(length, of: payer) else {
            return refuseForNow("too many requests and answers are under way; try again in a moment", head, context)
        }
        heldBytes = length
    }

    private func releaseBody() {
        site.shares.release(heldBytes, of: payer)
        heldBytes = 0
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
        releaseBody()
        if let page { site.remove(page, of: pageUser) }
        page = nil
        if let relay { site.remove(relay) }
        relay = nil
        context.fireChannelInactive()
    }

    // MARK: Answers

    private func answer(_ request: WebRequest, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch router.answer(request, browser: browser) {
        case .response(let response): send(response, to: head, context)
        case .live(let uid, let session, let estimates):
            beginEvents(uid, session, withEstimates: estimates, head, context)
        case .devices(let session): beginDevices(session, head, context)
        case .regions(let body, let uid): changeRegions(body, of: uid, head, context)
        case .later(let uid, let isLarge, let isCounted, let work):
            answerLater(uid, isLarge: isLarge, isCounted: isCounted, work, head, context)
        case .track(let track, let principal):
            // Without chunks nobody could see that a track has ended early.
            guard head.version == .http1_1 else {
                return send(.refused(.httpVersionNotSupported, "a track needs HTTP/1.1"), to: head, context)
            }
            sendTrack(track, for: principal, head, context)
        }
    }

    // MARK: Writing

    /// What still arrives is ignored.
    func stopReading() { isClosing = true }

    /// Refuses a request before its body is read; nothing more is read from the connection, which ends after a second.
    private func refuseForNow(_ reason: String, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        self.head = nil
        isClosing = true
        _ = context.channel.setOption(.autoRead, value: false)
        closeLater(Self.holdTime, context)
        var response = WebResponse.refused(.tooManyRequests, reason)
        response.headers += [("Retry-After", "1"), ("Connection", "close")]
        write(response, withBody: head.method != .HEAD, context, promise: nil)
    }

    private func refuse(_ status: HTTPResponseStatus, _ reason: String, _ context: ChannelHandlerContext) {
        head = nil
        writeLast(.refused(status, reason), withBody: true, context)
    }

    func send(_ response: WebResponse, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard head.isKeepAlive else { return writeLast(response, withBody: head.method != .HEAD, context) }
        closeLater(site.idleTime, context)
        write(response, withBody: head.method != .HEAD, context, promise: nil)
    }

    /// Closes the connection as soon as the browser has the answer, or reads it too slowly.
    private func writeLast(_ response: WebResponse, withBody: Bool, _ context: ChannelHandlerContext) {
        isClosing = true
        closeLater(site.idleTime, context)
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
        releaseBody()
        let (content, count) = (response.file ?? ByteBuffer(bytes: response.body), response.body.count)
        // Refusals are as short as what the kernel needs for a connection anyway.
        let isHeld = withBody && count > Self.shortAnswer
        guard !isHeld || site.shares.hold(count, of: payer) else {
            let refusal = WebResponse.refused(.serviceUnavailable, "too many answers are not read yet")
            return isClosing
                ? write(refusal, withBody: true, context, promise: promise)
                : writeLast(refusal, withBody: true, context)
        }
        var head = HTTPResponseHead(version: .http1_1, status: response.status)
        head.headers = headers(type: response.type, further: response.headers)
        if response.status != .noContent, response.status != .notModified {
            head.headers.add(name: "Content-Length", value: "\(content.readableBytes)")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if withBody, content.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(content))), promise: nil)
        }
        guard isHeld else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise) }
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        let shares = NIOLoopBound(site.shares, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { [payer] _ in shares.value.release(count, of: payer) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private func beginEvents(
        _ uid: UInt32, _ session: String, withEstimates: Bool, _ request: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        guard site.mayAddPage(of: uid) else {
            var response = WebResponse.refused(.tooManyRequests, "too many pages are open; close some")
            response.headers.append(("Retry-After", "1"))
            return send(response, to: request, context)
        }
        let page = LivePage(
            context.channel, session: session, browser: browser, wantsEstimates: withEstimates,
            write: beginEvents(request, context))
        (self.page, pageUser) = (page, uid)
        do {
            try site.add(page, of: uid)
        } catch {
            context.close(promise: nil)
        }
    }

    private func beginDevices(_ session: String, _ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let relay = DeviceRelay(
            context.channel, session: session, browser: browser, write: beginEvents(request, context))
        guard site.add(relay) else { return context.close(promise: nil) }
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
        let isChunked = request.hasChunks
        return { [weak self] bytes in
            guard let self else { return }
            var bytes = bytes
            AnswerPadding.pad(&bytes, isChunked: isChunked)
            bound.value.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        }
    }

    func headers(type: String, further: [(String, String)]) -> HTTPHeaders {
        var headers = HTTPHeaders(further)
        headers.add(name: "Content-Type", value: type)
        headers.add(name: "Content-Security-Policy", value: site.contentPolicy)
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Referrer-Policy", value: "no-referrer")
        headers.add(name: "Cross-Origin-Opener-Policy", value: "same-origin")
        headers.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        // A position is nothing for a cache.
        if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-store") }
        return headers
    }
}

extension HTTPRequestHead {
    /// Whether the answer may come in chunks; a client of HTTP/1.0 knows none.
    var hasChunks: Bool { version.major == 1 && version.minor >= 1 }
}
