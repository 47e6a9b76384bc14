import Glibc

/// The server's end of a connection; what cannot be written any more is dropped.
final class StubConnection {
    private let descriptor: Int32
    private var rest: [UInt8] = []
    private var isOver = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: The head of a request; `nil` once the other side has closed.
    func nextRequest() -> String? {
        while !isOver {
            if let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
                rest.removeFirst(end.upperBound)
                return head
            }
            guard read() else { return nil }
        }
        return nil
    }

    @discardableResult func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// - Returns: false once the other side has closed.
    @discardableResult func write(_ bytes: [UInt8]) -> Bool {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// Answers as a server should.
    func answer(_ body: String, status: String = "200 OK", type: String = "application/json", headers: String = "") {
        let head = "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n"
        write(head + body)
    }

    /// No more is said.
    func close() {
        isOver = true
    }

    /// No more is said, and what comes is refused.
    func reset() {
        isOver = true
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Says nothing until the other side gives up.
    func wait() {
        while read() {}
    }

    private func read() -> Bool {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        rest += piece.prefix(count)
        return true
    }
}
