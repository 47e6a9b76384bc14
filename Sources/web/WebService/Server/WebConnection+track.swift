@_spi(Programs) import LocationInterface
import NIOCore
import NIOHTTP1

// A track as a file.

extension WebConnection {
    /// The longest time that a track may take to be sent: another user's may wait for it.
    private static let trackTime = TimeAmount.minutes(10)

    /// Sends a track as a file, portion by portion: the next one is made when the browser has taken the last.
    func sendTrack(
        _ track: TrackRequest, for principal: WebSessions.Principal, _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let uid = principal.uid
        guard head.method == .GET else { return send(Self.trackHead, to: head, context) }
        guard beginCall(of: uid, head, context) else { return }
        let bound = NIOLoopBound((connection: self, context: context), eventLoop: context.eventLoop)
        let (eventLoop, channel, gateway) = (context.eventLoop, context.channel, site.gateway)
        site.largeAnswers.enter(uid) {
            let deadline = eventLoop.assumeIsolated().scheduleTask(in: Self.trackTime) { channel.close(promise: nil) }
            let timer = NIOLoopBound(deadline, eventLoop: eventLoop)
            Task {
                let outcome: Result<CallGateway.Answer?, any Error>
                do {
                    outcome = .success(
                        try await gateway.writeTrack(track, for: principal) { text in
                            try await eventLoop.flatSubmit {
                                bound.value.connection.writePart(text, to: head, bound.value.context)
                            }.get()
                        })
                } catch {
                    outcome = .failure(error)
                }
                eventLoop.execute {
                    let (connection, context) = bound.value
                    timer.value.cancel()
                    connection.site.shares.endCall(of: uid)
                    connection.site.largeAnswers.leave(uid)
                    connection.endTrack(outcome, head, context)
                }
            }
        }
    }

    private static let trackHead: WebResponse = {
        var response = WebResponse(.ok, type: "application/gpx+xml")
        response.headers.append(("Content-Disposition", "attachment; filename=\"track.gpx\""))
        return response
    }()

    /// - Returns: done when the browser has taken the part, as far as the kernel does not hold it.
    private func writePart(
        _ text: String, to request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        guard context.channel.isActive, !isClosing else {
            return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        closeLater(site.idleTime, context)
        if !hasBegunTrack {
            hasBegunTrack = true
            var head = HTTPResponseHead(version: request.version, status: .ok)
            head.headers = headers(type: Self.trackHead.type, further: Self.trackHead.headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
        }
        return context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))))
    }

    private func endTrack(
        _ outcome: Result<CallGateway.Answer?, any Error>, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        hasBegunTrack = false
        switch outcome {
        case .success(let refusal?): send(WebResponse(refusal), to: head, context)
        case .success(nil):
            guard context.channel.isActive, !isClosing else { return }
            let isLast = !head.isKeepAlive || !head.hasChunks
            if isLast { stopReading() } else { closeLater(site.idleTime, context) }
            let channel = context.channel
            let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
            if isLast { written.whenComplete { _ in channel.close(promise: nil) } }
        // A browser notices that the last chunk is missing.
        case .failure: context.close(promise: nil)
        }
    }
}
