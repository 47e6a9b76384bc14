import Glibc

/// The server's end of a connection; what cannot be written any more is dropped.
package final class StubConnection {
    private let descriptor: Int32
    private var rest: [UInt8] = []
    private var isOver = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: The head of a request, and its body, if it has one; `nil` once the other side has closed.
    func nextRequest() -> String? {
        while !isOver {
            if let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
                let length = Self.bodyLength(head)
                if rest.count >= end.upperBound + length {
                    let size = length == 0 ? end.lowerBound : end.upperBound + length
                    defer { rest.removeFirst(end.upperBound + length) }
                    return String(decoding: rest[..<size], as: UTF8.self)
                }
            }
            guard read() else { return nil }
        }
        return nil
    }

    private static func bodyLength(_ head: String) -> Int {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return line.flatMap { Int($0.dropFirst(15).trimmingPrefix(" ")) } ?? 0
    }

    @discardableResult package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// - Returns: false once the other side has closed.
    @discardableResult package func write(_ bytes: [UInt8]) -> Bool {
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
    package func answer(
        _ body: String, status: String = "200 OK", type: String = "application/json", headers: String = ""
    ) {
        let head = "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n"
        write(head + body)
    }

    /// No more is said.
    package func close() {
        isOver = true
    }

    /// No more is said, and what comes is refused.
    package func reset() {
        isOver = true
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Says nothing until the other side gives up.
    package func wait() {
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
