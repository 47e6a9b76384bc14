import HTTPRequests
import ServiceKit

/// The table `[online]`: a service on the network that is asked for what is not known here, if there is one.
struct GeolocateSettings: SettingsTable, Equatable {
    /// The service's URL without a trailing slash, to which `/v1/geolocate` is added; `nil` asks nobody.
    var url: String?
    var contact: String?
    var key: String?
    var timeout = 10.0

    static let settings: [Setting<Self>] = [
        .init(
            "url", \.url, Rule.serviceURL.orAbsent(""),
            "The service on the network that is asked where unknown access points are; without it nobody is asked."),
        .init(
            "contact", \.contact, Rule.contact.orAbsent(""),
            "How the service's operator can reach you; it is sent with every request, and needed if there is a url."),
        .init("key", \.key, Rule.serviceKey.orAbsent(""), "The key that the service has given."),
        .init("timeout", \.timeout, .number(1...300, "seconds"), "The time that an answer may take."),
    ]
}

extension Rule<String> {
    fileprivate static let serviceURL = converted(
        "an address in quotes that begins with https:// or http://", by: ServiceAddress.base(of:))
    fileprivate static let contact = converted(
        "an e-mail address or a web page in quotes", by: ServiceAddress.checked(contact:))

    /// It is a part of an address.
    fileprivate static let serviceKey = text("a key of letters, digits, - and _ in quotes") { text throws(Refusal) in
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        guard isPlain, text.utf8.count <= 200 else { throw Refusal("has another character, or more than 200") }
    }

    private static func converted(
        _ accepts: String, by convert: @escaping @Sendable (String) throws(ServiceAddress.Invalid) -> String
    ) -> Rule {
        Rule(accepts: accepts) { node throws(Refusal) in
            guard case .text(let text) = node else { throw Refusal(node, isNot: "text") }
            do throws(ServiceAddress.Invalid) {
                return try convert(text)
            } catch {
                throw Refusal("\(text.quoted) will not do", remedy: error.remedy)
            }
        } written: {
            $0.quoted
        }
    }
}
