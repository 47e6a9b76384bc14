/// Whom a decision is about: a user, a unit of the system, or a bridge.
///
/// Written `uid:1000`, `unit:navigator.service` or `bridge:nmea`, which is also its coded form.
package enum Subject: Sendable, Hashable, CustomStringConvertible {
    case uid(UInt32)
    case unit(String)
    case bridge(Bridge)

    /// Longest name of a unit, as the service manager has it.
    private static let unitLimit = 255

    /// - Returns: `nil` if the text is none of `uid:NUMBER`, `unit:NAME.service` and `bridge:NAME`.
    package init?(_ text: String) {
        if let number = text.dropping(prefix: "uid:") {
            // The highest is no user: the kernel means "no change" by it.
            guard let uid = UInt32(number), number.allSatisfy(\.isNumber), uid != Principal.overflowUID, uid != .max
            else { return nil }
            self = .uid(uid)
        } else if let name = text.dropping(prefix: "unit:"), Self.isUnit(name) {
            self = .unit(name)
        } else if let bridge = text.dropping(prefix: "bridge:").flatMap(Bridge.init) {
            self = .bridge(bridge)
        } else {
            return nil
        }
    }

    /// True for the name of a service: letters, digits and `:-_.\@`, with `.service` at the end.
    package static func isUnit(_ name: String) -> Bool {
        let suffix = ".service"
        return name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count && name.utf8.count <= unitLimit
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: #":-_.\@"#.utf8.contains(byte)
                }
            }
    }

    package var isUnit: Bool {
        if case .unit = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .uid(let uid): "uid:\(uid)"
        case .unit(let name): "unit:\(name)"
        case .bridge(let bridge): "bridge:\(bridge.rawValue)"
        }
    }
}

extension Subject: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let subject = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "none of uid:N, unit:NAME.service and bridge:nmea")
        }
        self = subject
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
