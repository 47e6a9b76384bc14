import ServiceKit

extension Rule<String> {
    /// A receiver by gpsd's name: usually a path, sometimes a URL.
    static let device = text("the path of a device in quotes, as gpsd calls it") { text throws(Refusal) in
        guard text.utf8.count < 256, text == text.onOneLine, !text.contains(" ") else {
            throw Refusal("\(text.quoted) is too long or has spaces or control characters")
        }
    }

    /// The host of a TCP service.
    static let host = text("a host name or an IP address in quotes") { text throws(Refusal) in
        if let problem = HostAndPort.problem(withHost: text) { throw problem }
    }

    /// The name of a source.
    static let sourceName = text("1 to 32 of a-z, 0-9 and - in quotes") { text throws(Refusal) in
        let isAllowed = text.utf8.allSatisfy { $0.isBareKey && $0 != UInt8(ascii: "_") } && text == text.lowercased()
        guard isAllowed, text.utf8.count <= 32 else { throw Refusal("\(text.quoted) is not a name for a source") }
    }

    /// A group name that Linux accepts.
    static let group = text("the name of a group in quotes") { text throws(Refusal) in
        guard text.isAccountName else { throw Refusal("\(text.quoted) is not the name of a group") }
    }

    /// A user's name that Linux accepts, or a number.
    static let user = text("the name or the number of a user in quotes") { text throws(Refusal) in
        guard text.isAccountName || UInt32(text) != nil else {
            throw Refusal("\(text.quoted) is not the name of a user")
        }
    }
}

extension String {
    /// Whether Linux accepts it as the name of a user or a group.
    fileprivate var isAccountName: Bool {
        let first = utf8.first.map { Unicode.Scalar($0) } ?? " "
        let beginsWell = first.properties.isAlphabetic || first == "_"
        return beginsWell && utf8.count <= 32 && utf8.allSatisfy { $0.isBareKey || $0 == UInt8(ascii: ".") }
    }
}
