import FoundationEssentials

/// Finds the parameter with a number that its type cannot represent, such as 1.5 for an integer, by decoding each
/// alone.
enum UnfitNumber {
    /// Longer messages, and ones with more parameters than any method has, are not searched, because that would cost
    /// more than a precise error is worth. The cost is proportional to the product of both.
    private static let longest = 1024
    private static let most = 16

    private struct Message: Codable {
        var parameters: [String: Value]
    }

    /// - Returns: the name of the parameter, or `nil` if it cannot be determined.
    static func field(of message: [UInt8], as type: (some Decodable).Type) -> String? {
        guard message.count <= longest, let read = try? JSONDecoder().decode(Message.self, from: Data(message)),
            read.parameters.count <= most
        else { return nil }
        let fields = read.parameters.sorted { $0.key < $1.key }
        // Decoding a field alone may stop at a missing other one; then it is the field without which the error
        // disappears.
        return fields.first { isUnfit([$0.key: $0.value], type) }?.key
            ?? fields.first { field in !isUnfit(read.parameters.filter { $0.key != field.key }, type) }?.key
    }

    private static func isUnfit(_ parameters: [String: Value], _ type: (some Decodable).Type) -> Bool {
        guard let text = try? JSONEncoder().encode(Message(parameters: parameters)) else { return false }
        do {
            _ = try JSONDecoder().decode(type, from: text)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            return true
        } catch DecodingError.typeMismatch {
            return true
        } catch {}
        return false
    }

    /// Any JSON value.
    private enum Value: Codable {
        case object([String: Value])
        case array([Value])
        case text(String)
        case flag(Bool)
        case number(Double)
        case null

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let object = try? container.decode([String: Value].self) {
                self = .object(object)
            } else if let array = try? container.decode([Value].self) {
                self = .array(array)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else {
                // A number out of range becomes a string, which is just as invalid where a number is expected.
                self = (try? container.decode(Double.self)).map(Value.number) ?? .text("")
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .object(let object): try container.encode(object)
            case .array(let array): try container.encode(array)
            case .text(let text): try container.encode(text)
            case .flag(let flag): try container.encode(flag)
            case .number(let number): try container.encode(number)
            case .null: try container.encodeNil()
            }
        }
    }
}
