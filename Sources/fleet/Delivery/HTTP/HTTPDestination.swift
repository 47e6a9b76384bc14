import FoundationEssentials
package import HTTPRequests

/// What a server is, and where: `owntracks+https://host/path`, and so on.
package struct DestinationAddress: Sendable, Equatable, CustomStringConvertible {
    package enum Form: String, Sendable, CaseIterable {
        case ownTracks = "owntracks"
        case traccar
        case homeAssistant = "home-assistant"

        /// Whether the server shows the newest location alone: its reports carry no time.
        package var showsNewest: Bool { self == .homeAssistant }
    }

    package let form: Form
    /// The URL of HTTP, without a slash at its end.
    package let url: String

    /// Which addresses there are, in words.
    package static let accepted =
        "owntracks+https://HOST, traccar+https://HOST:5055 or home-assistant+https://HOST:8123"

    /// - Throws: why the text is no address: the remedy.
    package init(_ text: String) throws(ServiceAddress.Invalid) {
        guard let plus = text.firstIndex(of: "+"), let form = Form(rawValue: text[..<plus].lowercased()) else {
            throw ServiceAddress.Invalid("use \(Self.accepted)")
        }
        self.form = form
        url = try ServiceAddress.base(of: String(text[text.index(after: plus)...]))
    }

    package var description: String { "\(form.rawValue)+\(url)" }

    /// The host's name, and the port if it is given.
    package var host: String { String(url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }) }

    /// Whether nobody between this machine and the server can read what is sent.
    package var isConfidential: Bool { url.lowercased().hasPrefix("https://") || ServiceAddress.isLoopback(url) }
}

/// What is sent to prove who one is.
package enum DestinationSecret: Sendable, Equatable {
    case token(String)
    case password(String)

    /// What is never to be said.
    var text: String {
        switch self {
        case .token(let text), .password(let text): text
        }
    }
}

/// A server that is sent reports by HTTP.
package struct HTTPDestination: Sendable {
    package var name: String
    package var address: DestinationAddress
    package var user: String
    package var device: String
    /// Seconds between two reported locations at least.
    package var interval = 0.0
    package var acceptsCommands = false
    /// Whether Home Assistant's own home follows the machine.
    package var movesHome = false
    /// The version of this program.
    package var version = ""
    /// Reads the token or the password, which may be replaced while the program runs; `nil` for none.
    package var secret: @Sendable () throws -> DestinationSecret? = { nil }

    package init(name: String, address: DestinationAddress, user: String, device: String) {
        (self.name, self.address, self.user, self.device) = (name, address, user, device)
    }

    /// What changes if the server could answer otherwise than before: address, names and secret.
    ///
    /// It lies in the outbox, which its owner alone may read. FNV-1a of the outbox's random number and the rest has the
    /// same result in every process; it is no protection of a short password from that owner, who may read it anyway.
    func fingerprint(_ secret: DestinationSecret?, origin: UInt32) -> String {
        let text = "\(origin)\n\(address)\n\(user)\n\(device)\n\(secret?.text ?? "")"
        return String(
            text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    func headers(_ secret: DestinationSecret?) -> [String] {
        let names = address.form == .ownTracks ? ["X-Limit-U: \(user)", "X-Limit-D: \(device)"] : []
        switch secret {
        case nil: return names
        case .token(let token)?: return names + ["Authorization: Bearer \(token)"]
        case .password(let password)?:
            return names + ["Authorization: Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"]
        }
    }
}
