import Glibc
@_spi(Programs) public import LocationModel

/// A request to a geocoder.
public enum GeocodingRequest: Sendable, Hashable {
    /// The places at a position.
    case place(Coordinate, locale: String?)
    /// The places with that name, and how many at most.
    case name(String, locale: String?, limit: Int)

    /// The greatest length of a name, bytes of UTF-8.
    public static let textLimit = 512
    /// The greatest length of a locale, bytes of UTF-8.
    public static let localeLimit = 64
    /// The possible numbers of places.
    public static let limitRange = 1...100
    /// The possible time-outs for the network, seconds.
    public static let timeoutRange = 1.0...300

    /// The language of the answer; `nil` for that of the environment.
    public var locale: String? {
        switch self {
        case .place(_, let locale), .name(_, let locale, _): locale
        }
    }

    /// The parameter that is invalid, as an error; `nil` if all are valid.
    func mistake(timeout: Double) -> GeocodingError? {
        if let locale, !(1...Self.localeLimit).contains(locale.utf8.count) {
            return .invalidParameter("locale", reason: "it has 1 to \(Self.localeLimit) bytes, such as \"pt-BR\"")
        }
        if case .name(let text, _, let limit) = self {
            guard text.utf8.count <= Self.textLimit, text.contains(where: { !$0.isWhitespace }) else {
                return .invalidParameter("text", reason: "it is a name of 1 to \(Self.textLimit) bytes")
            }
            guard Self.limitRange.contains(limit) else {
                return .invalidParameter("limit", reason: "it is within 1...100")
            }
        }
        guard Self.timeoutRange.contains(timeout) else {
            return .invalidParameter("timeout", reason: "it is within 1...300 seconds")
        }
        return nil
    }
}

/// Language tags (BCP 47).
@_spi(Programs) public enum LanguageTag {
    /// The language of this process's messages, by `LC_ALL`, `LC_MESSAGES` and `LANG`; `nil` if these name none.
    @_spi(Programs) public static var ofEnvironment: String? {
        for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let value = getenv(variable).map({ String(cString: $0) }), !value.isEmpty { return named(value) }
        }
        return nil
    }

    /// The tag for a locale name of the C library, such as `de_CH.UTF-8@euro`.
    static func named(_ locale: String) -> String? {
        let name = locale.prefix { $0 != "." && $0 != "@" }.replacing("_", with: "-")
        let isTag = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isTag && (2...64).contains(name.utf8.count) && name != "POSIX" ? String(name) : nil
    }
}
