import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport

/// An open page: the events that it is sent.
final class LiveConnection {
    struct Event: Equatable {
        let name: String
        let id: String?
        let data: String

        /// The data of an update.
        func update() throws -> WatchReply { try JSONDecoder().decode(WatchReply.self, from: Data(data.utf8)) }
    }

    let connection: HTTPConnection
    /// Where the chunks begin in what has been received.
    private var start: Int?

    init(_ connection: HTTPConnection) { self.connection = connection }

    /// Asks for the events, and waits for the head of the answer.
    func open(_ bench: WebBench, _ cookie: String, path: String = "/live") async throws {
        try await connection.send(bench.text("GET", path, [cookie, "Accept: text/event-stream"]))
        try await eventually("the events begin") {
            connection.read()
            guard let (head, length) = HTTPReply.head(in: connection.received) else {
                return try connection.isClosed ? { throw Failure("closed") }() : false
            }
            guard head.status == 200, head.header("content-type") == "text/event-stream",
                head.header("transfer-encoding") == "chunked"
            else { throw Failure("no events: \(head)") }
            start = length
            return true
        }
    }

    /// All events that have come as a whole.
    func events() throws -> [Event] {
        connection.read()
        return try Self.text(ofChunks: connection.received.dropFirst(start ?? 0)).components(separatedBy: "\n\n")
            .dropLast()
            .filter { !$0.hasPrefix(":") }.map { block in
                func field(_ name: String) -> String? {
                    block.split(separator: "\n").first { $0.hasPrefix("\(name): ") }.map {
                        String($0.dropFirst(name.count + 2))
                    }
                }
                guard let name = field("event"), let data = field("data") else { throw Failure("no event: \(block)") }
                return Event(name: name, id: field("id"), data: data)
            }
    }

    /// The lengths on the wire of the chunks that have come as a whole.
    func chunkLengths() -> [Int] {
        connection.read()
        var (rest, lengths) = (Array(connection.received.dropFirst(start ?? 0))[...], [Int]())
        while let end = rest.firstIndex(of: 10),
            let size = Int(String(decoding: rest[..<(end - 1)], as: UTF8.self), radix: 16),
            case let length = end + 1 - rest.startIndex + size + 2, rest.count >= length
        {
            lengths.append(length)
            rest = rest.dropFirst(length)
        }
        return lengths
    }

    func updates() throws -> [WatchReply] { try events().filter { $0.name == "update" }.map { try $0.update() } }

    func locations() throws -> [Aged<Location>] { try updates().compactMap(\.location) }

    /// Waits until the events fulfil a condition.
    func await(_ what: String, within seconds: Double = 240, _ holds: ([Event]) throws -> Bool) async throws {
        try await eventually(what, within: seconds, details: { "\((try? events().suffix(5)) ?? [])" }) {
            if try holds(events()) { return true }
            if connection.isClosed { throw Failure("\(what): the page is closed") }
            return false
        }
    }

    /// HTTP/1.1's chunks (RFC 9112, 7.1), up to the last that has come as a whole.
    private static func text(ofChunks bytes: some Collection<UInt8>) -> String {
        var (rest, content) = (Array(bytes)[...], [UInt8]())
        while let end = rest.firstIndex(of: 10),
            let size = Int(String(decoding: rest[..<(end - 1)], as: UTF8.self), radix: 16),
            rest.count > end - rest.startIndex + size + 2
        {
            content += rest[(end + 1)..<(end + 1 + size)]
            rest = rest[(end + 1 + size + 2)...]
        }
        return String(decoding: content, as: UTF8.self)
    }
}
