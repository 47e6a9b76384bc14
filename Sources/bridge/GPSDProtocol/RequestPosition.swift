/// Where in a line of requests the bytes so far end.
struct RequestPosition: Sendable {
    /// Bytes of the line so far.
    private(set) var length = 0
    /// The last byte that is no blank; `nil` if there is none.
    private var last: UInt8?
    /// Whether the last byte is within a text between quotation marks, and follows a backslash there.
    private var (isInText, isEscaped) = (false, false)
    /// Brackets of the request's object that are open.
    private var depth = 0
    /// Whether the last byte but blanks has closed the object.
    private var hasClosedObject = false

    /// Whether the line has more than blanks.
    var hasContent: Bool { last != nil }

    /// Whether a request ends here, but for blanks: with a `;`, or with its object.
    var isComplete: Bool { !isInText && (last == UInt8(ascii: ";") || hasClosedObject) }

    mutating func advance(over byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            self = RequestPosition()
            return
        }
        length += 1
        if isEscaped {
            isEscaped = false
        } else if isInText {
            isEscaped = byte == UInt8(ascii: "\\")
            isInText = byte != UInt8(ascii: "\"")
        } else {
            guard !byte.isBlank else { return }
            advance(overMark: byte)
        }
        last = byte
    }

    /// Processes a byte outside of texts.
    private mutating func advance(overMark byte: UInt8) {
        hasClosedObject = false
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        // An object is what follows an equals sign.
        case UInt8(ascii: "{"), UInt8(ascii: "["): if depth > 0 || last == UInt8(ascii: "=") { depth += 1 }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            hasClosedObject = depth == 1
            depth -= depth > 0 ? 1 : 0
        default: break
        }
    }
}
