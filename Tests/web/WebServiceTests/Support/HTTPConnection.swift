import Glibc
import ProgramTestSupport

/// A browser's connection, for bytes that no library would send. It never blocks a thread, on which the server may
/// depend.
final class HTTPConnection {
    private let descriptor: Int32
    private var isEnded = false
    /// What has come and is not read yet.
    private(set) var received: [UInt8] = []

    /// - Parameters:
    ///   - isIPv6: whether it is to `::1` instead of `127.0.0.1`.
    ///   - receiveBuffer: bytes that the kernel may hold for it; `nil` for as many as usual.
    ///   - isNameless: the kernel does not name the owner of the connection, because its socket is bound to a device.
    convenience init(
        port: Int, isIPv6: Bool = false, receiveBuffer: Int32? = nil, isNameless: Bool = false
    ) throws {
        let family = isIPv6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if isNameless { setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2) }
        guard Loopback.connect(descriptor, to: UInt16(port), isIPv6: isIPv6) else {
            close(descriptor)
            throw Failure("not connected: \(String(cString: strerror(errno)))")
        }
        try self.init(connected: descriptor)
    }

    /// - Parameter path: the socket for a proxy.
    convenience init(path: String) throws {
        try self.init(connected: SocketFile.connection(to: path))
    }

    private init(connected descriptor: Int32) throws {
        self.descriptor = descriptor
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Failure("not set: \(errno)") }
    }

    deinit { close(descriptor) }

    /// - Returns: whether all of it is sent: the server may close the connection before.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) async throws -> Bool {
        var rest = Array(bytes)[...]
        var isRefused = false
        try await eventually("\(rest.count) bytes are sent") {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 { rest = rest.dropFirst(count) }
            isRefused = count < 0 && errno != EAGAIN
            return rest.isEmpty || isRefused
        }
        return !isRefused
    }

    @discardableResult
    func send(_ text: String) async throws -> Bool { try await send(text.utf8) }

    /// Reads what has come.
    func read() {
        var part = [UInt8](repeating: 0, count: 65_536)
        while !isEnded {
            let count = recv(descriptor, &part, part.count, 0)
            if count < 0, errno == EAGAIN { return }
            // A reset is an end, too.
            isEnded = count <= 0
            if count > 0 { received += part[..<count] }
        }
    }

    var isClosed: Bool {
        read()
        return isEnded
    }

    /// Waits for an answer.
    /// - Parameter isHead: whether it is that of HEAD, which has no body.
    func reply(isHead: Bool = false, within seconds: Double = 240) async throws -> HTTPReply {
        var reply: HTTPReply?
        try await eventually(
            "an answer", within: seconds, details: { String(decoding: received.prefix(500), as: UTF8.self) }
        ) {
            read()
            guard let (head, length) = HTTPReply.head(in: received) else {
                if isEnded { throw Failure("closed after \(String(decoding: received, as: UTF8.self))") }
                return false
            }
            if !isHead, head.header("transfer-encoding") == "chunked" {
                guard let (body, end) = Self.body(ofChunks: received, from: length) else {
                    if isEnded { throw Failure("closed within the chunks") }
                    return false
                }
                reply = head
                reply?.body = String(decoding: body, as: UTF8.self)
                received.removeFirst(end)
                return true
            }
            let body = isHead ? 0 : head.header("content-length").flatMap { Int($0) } ?? 0
            guard received.count >= length + body else {
                if isEnded { throw Failure("closed after \(received.count - length) of \(body) bytes") }
                return false
            }
            reply = head
            reply?.body = String(decoding: received[length..<length + body], as: UTF8.self)
            received.removeFirst(length + body)
            return true
        }
        guard let reply else { throw Failure("no answer") }
        return reply
    }
}

extension HTTPConnection {
    /// HTTP/1.1's chunks (RFC 9112, 7.1).
    ///
    /// - Returns: what they hold, and the index after the last one; `nil` if that has not come.
    private static func body(ofChunks bytes: [UInt8], from start: Int) -> ([UInt8], end: Int)? {
        var (index, body) = (start, [UInt8]())
        while let end = bytes[index...].firstIndex(of: 10),
            let size = Int(String(decoding: bytes[index..<(end - 1)], as: UTF8.self), radix: 16),
            bytes.count >= end + 1 + size + 2
        {
            body += bytes[(end + 1)..<(end + 1 + size)]
            index = end + 1 + size + 2
            if size == 0 { return (body, index) }
        }
        return nil
    }
}

/// An answer of the server.
struct HTTPReply {
    let status: Int
    let headers: [(name: String, value: String)]
    var body = ""

    /// A header by its name in lower case; `nil` if it is not there once.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    /// - Returns: the head at the beginning of the bytes, and how long it is; `nil` if it is not there as a whole.
    static func head(in bytes: [UInt8]) -> (HTTPReply, length: Int)? {
        let end = Array("\r\n\r\n".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let lines = String(decoding: bytes[..<start], as: UTF8.self).split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.count < 2 ? "" : String(parts[1].drop { $0 == " " }))
        }
        let status = words.count > 1 && words[0].hasPrefix("HTTP/1.") ? Int(words[1]) : nil
        return (HTTPReply(status: status ?? 0, headers: headers.map { (name: $0.0, value: $0.1) }), start + end.count)
    }
}
