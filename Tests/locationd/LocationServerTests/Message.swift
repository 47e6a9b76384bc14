@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Varlink

/// One message from the server, as bytes and as a reply.
struct Message: Sendable {
    /// Without the NUL that ends it.
    let text: String
    let reply: Reply

    init(_ bytes: [UInt8]) throws {
        text = String(decoding: bytes, as: UTF8.self)
        reply = try Reply(bytes)
    }

    var error: String? { reply.error }
    var continues: Bool { reply.continues }

    func parameters<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try reply.parameters(as: type)
    }

    /// What a watch tells with it.
    var update: WatchReply { get throws { try parameters() } }

    /// The parameters of the errors that this service answers, as far as they have them.
    struct Explained: Decodable {
        var parameter, reason, interface, method, authorization: String?
        var limit, id: Int?
    }

    var explained: Explained { get throws { try parameters() } }
}
