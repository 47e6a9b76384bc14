/// The identity of a client, as the kernel recorded it when the connection was made. It uses nothing that the client
/// sends.
package struct Principal: Sendable, Hashable, CustomStringConvertible {
    package let uid: UInt32
    package let pid: Int32
    /// The primary group and all supplementary ones.
    package let groups: Set<UInt32>
    /// The system unit of the process; `nil` if it has none, or if the kernel does not report it.
    package let unit: String?
    /// The bridge that the process reads; a bridge's locations reach other programs too.
    package private(set) var bridge: Bridge?
    /// Whether the user is only known to have made the socket, as over TCP: root makes sockets for programs of others.
    /// uid 0 and the daemon's own user then have no right but by rules and decisions.
    package let isMakerOfSocket: Bool

    package init(
        uid: UInt32, pid: Int32, groups: Set<UInt32>, unit: String? = nil, isMakerOfSocket: Bool = false
    ) {
        self.uid = uid
        self.pid = pid
        self.groups = groups
        self.unit = unit
        self.isMakerOfSocket = isMakerOfSocket
    }

    /// The uid of a user that the kernel cannot map in this namespace ("nobody"): it may be any user, so it identifies
    /// none.
    package static let overflowUID: UInt32 = 65_534

    /// The same process as the reader of a bridge.
    package func reading(_ bridge: Bridge) -> Principal {
        var reader = self
        reader.bridge = bridge
        return reader
    }

    /// The process without the bridge, if it reads one.
    var reader: Principal? {
        guard bridge != nil else { return nil }
        var reader = self
        reader.bridge = nil
        return reader
    }

    package var description: String { subject.description }
}

extension Principal {
    /// The subject of decisions about this client: the bridge it reads, else its unit if the kernel reports one, else
    /// its user.
    package var subject: Subject { bridge.map(Subject.bridge) ?? unit.map(Subject.unit) ?? .uid(uid) }

    /// All subjects whose decisions apply to it, the most specific first.
    package var subjects: [Subject] {
        if let bridge { return [.bridge(bridge)] }
        return (unit.map { [.unit($0)] } ?? []) + [.uid(uid)]
    }

    /// True if a decision about the subject may affect this client. A process that is refused itself is refused on a
    /// bridge, too.
    package func isConcerned(by subject: Subject) -> Bool {
        subjects.contains(subject) || reader?.subjects.contains(subject) == true
    }
}

/// The subject of a decision: a user, a unit of the system, or a bridge.
///
/// The text `uid:1000`, `unit:navigator.service` or `bridge:nmea` is also its coded form.
package enum Subject: Sendable, Hashable, CustomStringConvertible {
    case uid(UInt32)
    case unit(String)
    case bridge(Bridge)

    /// The maximum length of a unit's name in systemd.
    private static let unitLimit = 255

    /// - Returns: `nil` if the text is none of `uid:NUMBER`, `unit:NAME.service` and `bridge:NAME`.
    package init?(_ text: String) {
        if let number = text.dropping(prefix: "uid:") {
            // The highest uid is no user: system calls use it for "no change".
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

/// A way for locations to reach another location service, which passes them on to its own clients.
///
/// Those clients cannot be told apart here, so one decision holds for the whole bridge.
package enum Bridge: String, Sendable, Hashable, CaseIterable {
    /// The NMEA socket, which GeoClue reads.
    case nmea
}
