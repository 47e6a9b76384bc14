import FoundationEssentials

extension OnlineSettings {
    /// The URL without a trailing slash.
    static func base(of text: String) throws(Invalid) -> String {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), text.utf8.count <= 1000, let url = URL(string: text)
        else {
            throw Invalid(.url, "give an address such as https://nominatim.example.org, in ASCII and without spaces")
        }
        guard ["https", "http"].contains(url.scheme?.lowercased()) else {
            throw Invalid(.url, "begin with https:// or http://")
        }
        guard url.user() == nil, url.password() == nil, !text.contains("@") else {
            throw Invalid(.url, "leave user and password out")
        }
        guard !text.contains("?"), !text.contains("#") else {
            throw Invalid(.url, "leave out the query (?) and the fragment (#)")
        }
        guard let host = url.host(), !host.isEmpty else {
            throw Invalid(.url, "name a host, as in https://nominatim.example.org")
        }
        guard url.port.map({ (1...65535).contains($0) }) != false else {
            throw Invalid(.url, "give a port from 1 to 65535")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    /// The contact, which is a part of every request's header.
    static func checked(contact: String) throws(Invalid) -> String {
        let isPlain = contact.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !"()\\".utf8.contains($0) }
        guard isPlain, (3...200).contains(contact.utf8.count), contact.contains(where: \.isLetter) else {
            throw Invalid(
                .contact, "give an e-mail address or a web page, 3 to 200 characters of ASCII without ( ) and \\")
        }
        return contact
    }
}
