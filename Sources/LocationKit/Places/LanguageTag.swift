import Glibc

/// Languages by their tags (BCP 47).
package enum LanguageTag {
    /// That of the messages of this process, by `LC_ALL`, `LC_MESSAGES` and `LANG`; `nil` where these name none.
    package static var ofEnvironment: String? {
        for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let value = getenv(variable).map({ String(cString: $0) }), !value.isEmpty { return named(value) }
        }
        return nil
    }

    /// What the C library's name of a locale, such as `de_CH.UTF-8@euro`, is as a tag.
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
