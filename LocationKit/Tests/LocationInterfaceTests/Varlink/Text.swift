import Varlink

/// A message as text without its NUL, which must be there.
func text(_ message: [UInt8]) -> String? {
    guard message.last == 0, message.firstIndex(of: 0) == message.count - 1 else { return nil }
    return String(validating: message.dropLast(), as: UTF8.self)
}

func call(_ json: String) throws(ErrorReply) -> Call {
    try Call(Array(json.utf8))
}

extension ErrorReply {
    /// Name and parameters as they go over the wire.
    var wire: String? { text(MessageEncoder().error(self)) }
}
