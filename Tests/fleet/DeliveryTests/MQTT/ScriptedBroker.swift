import Glibc
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport

/// What listens where a broker should, and answers each connection's first bytes with bytes of the test's.
final class ScriptedBroker: Sendable {
    let port: UInt16
    private let listener: LoopbackListener
    private let requests = Mutex<[[UInt8]]>([])

    /// - Parameters:
    ///   - closes: whether the connection is closed after the answer.
    ///   - answer: called with the first bytes of each connection, on a thread of this broker's own; `nil` closes the
    ///     connection, nothing keeps silent until the client closes it.
    init(closes: Bool = false, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
        listener = try LoopbackListener()
        port = listener.port
        let descriptor = listener.descriptor
        let isStarted = DetachedThread.start(named: "scripted") { [weak self] in
            while case let client = accept(descriptor, nil, nil), client >= 0 {
                defer { close(client) }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = max(0, recv(client, &bytes, bytes.count, 0))
                let request = Array(bytes.prefix(count))
                self?.requests.withLock { $0.append(request) }
                guard let text = answer(request) else { continue }
                _ = send(client, text, text.count, Int32(MSG_NOSIGNAL))
                if closes { shutdown(client, Int32(SHUT_WR)) }
                while recv(client, &bytes, bytes.count, 0) > 0 {}
            }
        }
        guard isStarted else { throw Failure("no thread") }
    }

    deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    /// The first bytes of each connection so far.
    var received: [[UInt8]] { requests.withLock { $0 } }
}
