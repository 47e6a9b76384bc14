import FoundationEssentials

/// One method call as it was received.
///
/// The text is scanned once: the parameters are decoded later, as the type that the method expects, from the result of
/// that scan.
public struct Call {
    /// The full name, such as `org.varlink.service.GetInfo`.
    public let method: String
    /// The caller accepts several replies.
    public let more: Bool
    /// The caller wants no reply.
    public let oneway: Bool
    /// The size of the call in bytes, without its NUL.
    public var size: Int { bytes.count }
    private let bytes: [UInt8]
    private let envelope: KeyedDecodingContainer<Envelope.Keys>

    private struct Envelope: Decodable {
        enum Keys: CodingKey { case method, more, oneway, parameters }

        let method: String
        let more: Bool?
        let oneway: Bool?
        /// The decoder retains the scanned text as long as this exists.
        let container: KeyedDecodingContainer<Keys>

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Keys.self)
            method = try container.decode(String.self, forKey: .method)
            more = try container.decodeIfPresent(Bool.self, forKey: .more)
            oneway = try container.decodeIfPresent(Bool.self, forKey: .oneway)
            _ = try container.decodeIfPresent(AnyObject.self, forKey: .parameters)
        }
    }

    /// Any object; a type without fields would decode from any value.
    private struct AnyObject: Decodable {
        private enum NoKeys: CodingKey {}

        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: NoKeys.self)
        }
    }

    private struct Parameters<Value: Decodable>: Decodable {
        let parameters: Value?
    }

    /// Reads one message (without its NUL).
    ///
    /// - Throws: ``ErrorReply`` `InvalidParameter` if it is no JSON object with a `method`.
    public init(_ bytes: [UInt8]) throws(ErrorReply) {
        do {
            let envelope = try JSONDecoder().decode(Envelope.self, from: Data(bytes))
            method = envelope.method
            oneway = envelope.oneway ?? false
            more = !oneway && (envelope.more ?? false)
            self.bytes = bytes
            self.envelope = envelope.container
        } catch {
            throw .invalidRequest(
                "a request is one JSON object {\"method\": …, \"parameters\": {…}} ended by NUL; " + explain(error))
        }
    }

    /// The part of the name before the last dot; empty if there is none.
    public var interface: Substring {
        method.lastIndex(of: ".").map { method[..<$0] } ?? ""
    }

    /// The part of the name after the last dot.
    public var member: Substring {
        method.lastIndex(of: ".").map { method[method.index(after: $0)...] } ?? method[...]
    }

    /// The parameters as the type that the method expects; absent ones count as an empty object.
    ///
    /// - Throws: ``ErrorReply`` `InvalidParameter` naming the first that is missing or of the wrong type.
    public func parameters<Value: Decodable>(as type: Value.Type = Value.self) throws(ErrorReply) -> Value {
        do {
            if let value = try envelope.decodeIfPresent(Value.self, forKey: .parameters) { return value }
            return try JSONDecoder().decode(Value.self, from: Data("{}".utf8))
        } catch let error as DecodingError where !error.isOfNoField {
            throw .invalidParameter(error.parameterName, reason: explain(error))
        } catch {
            // The text has been scanned already, so the cause is a number, and the decoder does not say of which field.
            let name = UnfitNumber.field(of: bytes, as: Parameters<Value>.self) ?? "parameters"
            throw .invalidParameter(
                name, reason: "a number or a text there cannot be read: too large, not whole, or not UTF-8")
        }
    }
}

extension DecodingError {
    /// True for an error in the text rather than in one of its fields.
    fileprivate var isOfNoField: Bool {
        if case .dataCorrupted(let context) = self { context.codingPath.isEmpty } else { false }
    }

    /// The path of the invalid parameter, such as `location.latitude` or `regions[0].radius`.
    fileprivate var parameterName: String {
        let path: [any CodingKey] =
            switch self {
            case .keyNotFound(let key, let context): context.codingPath + [key]
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            @unknown default: []
            }
        let names = path.drop { $0.stringValue == "parameters" }
        guard let first = names.first else { return "parameters" }
        return names.dropFirst().reduce(first.stringValue) { name, key in
            key.intValue.map { "\(name)[\($0)]" } ?? "\(name).\(key.stringValue)"
        }
    }
}

/// The error in a JSON text, in a few words.
public func explain(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "not valid JSON" }
    return switch error {
    case .keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
        "\"\(context.codingPath.last?.stringValue ?? "message")\" has the wrong type"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "not valid JSON"
    case .dataCorrupted(let context): context.debugDescription
    @unknown default: "not valid JSON"
    }
}
