import CSystemd
import Glibc

/// Appends values to a message.
struct BusWriter {
    let functions: csystemd_bus
    let message: OpaquePointer

    /// - Returns: a negative errno value if the library refuses one of them, as it does a path that is none.
    func append(_ values: [BusValue]) -> Int32 {
        for value in values {
            let code = append(value)
            if code < 0 { return code }
        }
        return 0
    }

    private func append(_ value: BusValue) -> Int32 {
        switch value {
        case .string(let text): return text.withCString { append("s", $0) }
        case .objectPath(let text): return text.withCString { append("o", $0) }
        case .boolean(let value): return append("b", CInt(value ? 1 : 0))
        case .byte(let value): return append("y", value)
        case .int32(let value): return append("i", value)
        case .uint32(let value): return append("u", value)
        case .uint64(let value): return append("t", value)
        case .double(let value): return append("d", value)
        case .strings(let texts):
            return within("a", "s") { append(texts.map(BusValue.string)) }
        case .properties(let properties):
            return within("a", "{sv}") {
                for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
                    let code = within("e", "sv") { append([.string(name), .variant(value)]) }
                    if code < 0 { return code }
                }
                return 0
            }
        case .texts(let texts):
            return within("a", "{ss}") {
                for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
                    let code = within("e", "ss") { append([.string(name), .string(text)]) }
                    if code < 0 { return code }
                }
                return 0
            }
        case .structure(let members):
            return within("r", members.map(\.signature).joined()) { append(members) }
        case .variant(let value):
            return within("v", value.signature) { append(value) }
        case .descriptor, .other: return -EINVAL
        }
    }

    private func append(_ type: Character, _ text: UnsafePointer<CChar>) -> Int32 {
        functions.message_append_basic?(message, type.typeCode, text) ?? -ENOSYS
    }

    private func append<Value: BitwiseCopyable>(_ type: Character, _ value: Value) -> Int32 {
        withUnsafePointer(to: value) { functions.message_append_basic?(message, type.typeCode, $0) ?? -ENOSYS }
    }

    private func within(_ type: Character, _ contents: String, _ body: () -> Int32) -> Int32 {
        var code = functions.message_open_container?(message, type.typeCode, contents) ?? -ENOSYS
        if code >= 0 { code = body() }
        if code >= 0 { code = functions.message_close_container?(message) ?? -ENOSYS }
        return code
    }
}

extension Character {
    /// As the library takes the type of a value.
    var typeCode: CChar { CChar(asciiValue ?? 0) }
}
