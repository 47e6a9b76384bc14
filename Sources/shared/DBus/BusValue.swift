/// A value of the types of D-Bus that are used.
package indirect enum BusValue: Hashable, Sendable {
    case string(String)
    case objectPath(String)
    case boolean(Bool)
    case byte(UInt8)
    case int32(Int32)
    case uint32(UInt32)
    case uint64(UInt64)
    case double(Double)
    case descriptor(BusDescriptor)
    case strings([String])
    /// A dictionary of texts to variants, `a{sv}`.
    case properties([String: BusValue])
    /// A dictionary of texts to texts, `a{ss}`.
    case texts([String: String])
    case structure([BusValue])
    case variant(BusValue)
    /// A value of another type, which was not read.
    case other(signature: String)

    /// The signature of its type.
    package var signature: String {
        switch self {
        case .string: "s"
        case .objectPath: "o"
        case .boolean: "b"
        case .byte: "y"
        case .int32: "i"
        case .uint32: "u"
        case .uint64: "t"
        case .double: "d"
        case .descriptor: "h"
        case .strings: "as"
        case .properties: "a{sv}"
        case .texts: "a{ss}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        case .other(let signature): signature
        }
    }

    /// A text or an object's path.
    package var text: String? {
        switch self {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }
}
