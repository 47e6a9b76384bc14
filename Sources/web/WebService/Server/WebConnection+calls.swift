import NIOCore
import NIOHTTP1

// Requests whose answers come later, from other services.

extension WebConnection {
    /// - Returns: false if the user has too many calls under way, which is answered.
    func beginCall(of uid: UInt32, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
        guard site.shares.beginCall(of: uid) else {
            var response = WebResponse.refused(.tooManyRequests, "too many calls at a time; try again in a moment")
            response.headers.append(("Retry-After", "1"))
            send(response, to: head, context)
            return false
        }
        return true
    }

    func answerLater(
        _ uid: UInt32, isLarge: Bool, isCounted: Bool, _ work: @escaping @Sendable () async -> WebResponse,
        _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        guard !isCounted || beginCall(of: uid, head, context) else { return }
        let bound = NIOLoopBound((connection: self, context: context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        func start() {
            Task {
                let response = await work()
                eventLoop.execute {
                    let (connection, context) = bound.value
                    if isCounted { connection.site.shares.endCall(of: uid) }
                    connection.send(response, to: head, context)
                    if isLarge { connection.site.largeAnswers.leave(uid) }
                }
            }
        }
        if isLarge { site.largeAnswers.enter(uid, start: start) } else { start() }
    }

    func changeRegions(
        _ body: [UInt8], of uid: UInt32, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        guard beginCall(of: uid, head, context) else { return }
        // In case that the daemon hangs.
        closeLater(site.idleTime, context)
        let bound = NIOLoopBound((connection: self, context: context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        Task {
            // A thousand corners take milliseconds, in which others would wait.
            let calls = RegionCalls(body, of: uid)
            eventLoop.execute {
                let (connection, context) = bound.value
                let place = CallPlace(connection.site.shares, uid)
                guard let calls else {
                    let reason = "`add` is a list of regions, `remove` one of identifiers"
                    return connection.send(.refused(.badRequest, reason), to: head, context)
                }
                connection.site.change(calls, of: uid) { failure in
                    place.end()
                    connection.send(failure.map(WebResponse.init) ?? WebResponse(.noContent), to: head, context)
                }
            }
        }
    }
}

/// The place of a call, which is given back at the end, or when nobody is left who would say that it has ended.
///
/// Ownership: everything belongs to the event loop.
private final class CallPlace {
    private let shares: UserShares
    private let uid: UInt32
    private var isEnded = false

    init(_ shares: UserShares, _ uid: UInt32) { (self.shares, self.uid) = (shares, uid) }

    deinit { end() }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        shares.endCall(of: uid)
    }
}
