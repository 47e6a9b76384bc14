import NIOCore
import NIOPosix
@_spi(Programs) import SystemSupport

/// What the devices of a fleet report, for one page: the lines of a socket behind which systemd starts `locationd-fleet
/// --list-devices` for each connection, so that this service sees neither the broker nor the password for it.
///
/// While the page does not read, the socket is not read either: locationd-fleet drops messages then, and counts them.
///
/// Ownership: everything belongs to the event loop.
final class DeviceRelay {
    let session: String
    let browser: WebSessions.Browser
    private let page: any Channel
    private let write: (ByteBuffer) -> Void
    private var source: (any Channel)?
    /// Lines that were too long.
    private var skipped = 0

    init(_ page: any Channel, session: String, browser: WebSessions.Browser, write: @escaping (ByteBuffer) -> Void) {
        (self.page, self.session, self.browser, self.write) = (page, session, browser, write)
    }

    func start(at path: String) {
        let eventLoop = page.eventLoop
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LineReader(bound.value))
                }
            }
            .connect(unixDomainSocketPath: path).assumeIsolated().whenComplete { result in
                switch result {
                case .success(let channel): self.keepSource(channel)
                case .failure(let error):
                    self.end(
                        "the devices cannot be listed (\(error)); `systemctl status locationd-fleet-devices.socket` says more"
                    )
                }
            }
    }

    private func keepSource(_ channel: any Channel) {
        // The page may have gone meanwhile.
        guard page.isActive else { return channel.close(promise: nil) }
        source = channel
    }

    fileprivate func send(_ line: ByteBuffer) {
        var event = ByteBuffer(string: "event: device\ndata: ")
        event.writeImmutableBuffer(line)
        event.writeString("\n\n")
        write(event)
        if !page.isWritable { setReading(false) }
    }

    /// A line is left out, and the page told how many there were.
    fileprivate func skipLine() {
        skipped += 1
        if let json = WebJSON.text(["count": skipped]) {
            write(ByteBuffer(string: "event: skipped\ndata: \(json)\n\n"))
        }
        if !page.isWritable { setReading(false) }
    }

    /// What was sent has been read.
    func resume() { setReading(true) }

    private func setReading(_ isOn: Bool) { _ = source?.setOption(.autoRead, value: isOn) }

    func sendComment() {
        if page.isWritable { write(ByteBuffer(string: ": \n\n")) }
    }

    /// Tells the page why there is no more, and closes it.
    func end(_ reason: String) {
        guard page.isActive else { return }
        if let json = WebJSON.text(["reason": reason]) { write(ByteBuffer(string: "event: ended\ndata: \(json)\n\n")) }
        close()
    }

    func close() {
        source?.close(promise: nil)
        source = nil
        page.close(promise: nil)
    }
}

/// Passes on the lines of locationd-fleet.
private final class LineReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes of a line: a report's texts are bounded by locationd-fleet.
    private static let limit = 65_536

    private static let ended =
        "locationd-fleet has ended the list; `journalctl -u 'locationd-fleet-devices@*'` says why"

    private let relay: DeviceRelay
    private var splitter = LineSplitter(limit: LineReader.limit, overlong: .skip)

    init(_ relay: DeviceRelay) { self.relay = relay }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            splitter.split(bytes) { line in
                relay.send(ByteBuffer(bytes: line))
            } overlong: {
                relay.skipLine()
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { relay.end(Self.ended) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
