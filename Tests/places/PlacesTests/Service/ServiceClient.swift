import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Varlink

/// A client that sees the bytes of the wire; it waits on threads of its own.
final class ServiceClient: @unchecked Sendable {
    // One caller at a time: the descriptor and what was read belong to whoever awaits.
    private var descriptor: Int32
    private var unread: [UInt8] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard try SocketFile(path).connect(descriptor) else {
            // The descriptor is closed with the object, which is whole already.
            throw Failure("cannot connect to \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { end() }

    func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Ends the sending half alone.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    static func request(_ method: String, _ parameters: String, _ flags: String = "") -> String {
        "{\"method\":\"org.locationd.places.\(method)\",\"parameters\":\(parameters)\(flags)}\0"
    }

    static let reverse = request("ReverseGeocode", "{\"latitude\":52.5,\"longitude\":13.5}")

    /// Sends what the server takes at once.
    /// - Returns: how many bytes that were.
    @discardableResult
    func send(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// The next message without its NUL; `nil` at the end of the connection.
    func next() async throws -> String? {
        try await blocking { [self] in
            var part = [UInt8](repeating: 0, count: 65_536)
            while true {
                if let end = unread.firstIndex(of: 0) {
                    defer { unread.removeFirst(end + 1) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
                let count = recv(descriptor, &part, part.count, 0)
                if count == 0 || count < 0 && errno == ECONNRESET { return nil }
                guard count > 0 else { throw Failure("nothing comes: \(String(cString: strerror(errno)))") }
                unread += part[..<count]
            }
        }
    }

    func reply() async throws -> Reply {
        guard let message = try await next() else { throw Failure("the server ended the connection") }
        return try Reply(Array(message.utf8))
    }

    func call(_ method: String, _ parameters: String, _ flags: String = "") async throws -> Reply {
        send(Self.request(method, parameters, flags))
        return try await reply()
    }

    /// Every message until the server ends the connection.
    func rest() async throws -> [String] {
        var messages: [String] = []
        while let message = try await next() { messages.append(message) }
        return messages
    }
}

/// The parameters of the errors, as far as they have them.
struct Explained: Decodable {
    var parameter, reason, interface, method: String?
    var limit: Int?
}
