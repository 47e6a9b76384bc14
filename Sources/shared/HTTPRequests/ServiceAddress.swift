import FoundationEssentials

/// How an administrator names a service on the network, and oneself to its operator.
package enum ServiceAddress {
    /// Why a text will not do: the remedy.
    package struct Invalid: Error {
        package let remedy: String

        package init(_ remedy: String) { self.remedy = remedy }
    }

    /// The URL without a trailing slash.
    package static func base(of text: String) throws(Invalid) -> String {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), text.utf8.count <= 1000, let url = URL(string: text)
        else {
            throw Invalid("give an address such as https://service.example.org, in ASCII and without spaces")
        }
        guard ["https", "http"].contains(url.scheme?.lowercased()) else {
            throw Invalid("begin with https:// or http://")
        }
        guard url.user() == nil, url.password() == nil, !text.contains("@") else {
            throw Invalid("leave user and password out")
        }
        guard !text.contains("?"), !text.contains("#") else {
            throw Invalid("leave out the query (?) and the fragment (#)")
        }
        guard let host = url.host(), !host.isEmpty else {
            throw Invalid("name a host, as in https://service.example.org")
        }
        guard url.port.map({ (1...65535).contains($0) }) != false else {
            throw Invalid("give a port from 1 to 65535")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    /// Whether a URL's host is this machine.
    package static func isLoopback(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        let place = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        if place == "[::1]" || place.hasPrefix("[::1]:") { return true }
        let host = place.prefix { $0 != ":" }
        return host == "localhost" || host.hasPrefix("127.") && host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    }

    /// The contact, which is a part of every request's header.
    package static func checked(contact: String) throws(Invalid) -> String {
        let isPlain = contact.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !"()\\".utf8.contains($0) }
        guard isPlain, (3...200).contains(contact.utf8.count), contact.contains(where: \.isLetter) else {
            throw Invalid(
                "give an e-mail address or a web page, 3 to 200 characters of ASCII without ( ) and \\")
        }
        return contact
    }
}
