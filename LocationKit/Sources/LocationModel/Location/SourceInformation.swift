/// Where a location comes from, and how it came to be.
public struct SourceInformation: Sendable, Hashable {
    /// The source's name in the configuration, such as `gpsd`, `simulator` or `static`.
    public var name: String
    /// The receiver's device path as gpsd names it, when the source has devices.
    public var device: String?
    /// How the location came to be. Only ``LocationMethod/gnss`` is a measurement of now.
    public var method: LocationMethod
    /// True if software invented the location; of a replayed one, if it was invented when it was recorded.
    public var isSimulated: Bool

    /// True if the location is played back from a recording.
    public var isReplayed: Bool { method == .replayed }

    /// True if a receiver has measured it just now, as far as is known.
    public var isMeasuredNow: Bool { !isSimulated && (method == .gnss || method == .unknown) }

    /// What has to be said of a location that no receiver has measured just now, in words.
    @_spi(Programs) public var marks: [String] {
        let position: [String] =
            switch method {
            case .fixedPosition: ["fixed position"]
            case .network: ["network position"]
            case .gnss, .simulated, .replayed, .unknown: []
            }
        return position + (isSimulated ? ["simulated"] : []) + (isReplayed ? ["replayed"] : [])
    }

    /// - Parameter isSimulated: `nil` follows from the method.
    public init(name: String, device: String? = nil, method: LocationMethod = .gnss, isSimulated: Bool? = nil) {
        self.name = name
        self.device = device
        self.method = method
        self.isSimulated = isSimulated ?? (method == .simulated)
    }
}

/// How a location came to be.
public enum LocationMethod: String, OpenEnumeration {
    /// Measured by a receiver of satellites' signals, with dead reckoning where ``Location/augmentation`` says so.
    case gnss
    /// Written by a person or a program: a source of the kind `static` or `static-file`. Nothing measured it.
    case fixedPosition
    /// Estimated from radio stations that are heard, such as access points of Wi-Fi or cells: a source of the kind
    /// `provider`.
    case network
    /// Invented by software or by the receiver.
    case simulated
    /// Played back from a recording.
    case replayed
    /// A method of a later version, or one that a daemon of an earlier version does not say.
    case unknown
}

extension SourceInformation: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, device, method, isSimulated, isReplayed
    }

    /// Decodes the wire's form. Without a method, as earlier versions send and record it, the flags say what is known.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        device = try container.decodeIfPresent(String.self, forKey: .device)
        isSimulated = try container.decode(Bool.self, forKey: .isSimulated)
        let isReplayed = try container.decode(Bool.self, forKey: .isReplayed)
        let given = try container.decodeIfPresent(LocationMethod.self, forKey: .method)
        method = isReplayed ? .replayed : given ?? (isSimulated ? .simulated : .unknown)
    }

    /// Encodes the wire's form; an unknown method is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(device, forKey: .device)
        try container.encode(isSimulated, forKey: .isSimulated)
        try container.encode(isReplayed, forKey: .isReplayed)
        if method != .unknown { try container.encode(method, forKey: .method) }
    }
}
