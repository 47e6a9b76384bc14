import Delivery
import FoundationEssentials
import Glibc
import HTTPRequests
import ServiceKit

/// One table of the list `[[destinations]]`.
struct DestinationSettings: SettingsTable, Equatable {
    var name = ""
    /// `nil` while it is read.
    var address: DestinationAddress?
    /// `nil` for that of the broker, or a usual one.
    var user: String?
    var device: String?
    /// Files with a secret; without any, the credential is looked at.
    var tokenFile: String?
    var passwordFile: String?
    /// The file of the authorities whose certificates are believed; `nil` for the system's.
    var authorities: String?
    var interval = 0.0
    var isInsecure = false
    var acceptsCommands = false
    var movesHome = false

    static let settings: [Setting<Self>] = [
        .init("name", \.name, .destinationName, isRequired: true, "By which the service names the server."),
        .init("url", \.address, .destinationAddress, isRequired: true, "What the server is, and where."),
        .init("user", \.user, Rule.loginName.orAbsent(""), "The user for whom reports are, and of the password."),
        .init("device", \.device, Rule.deviceName.orAbsent(""), "The name or identifier of the device."),
        .init("token-file", \.tokenFile, Rule.path.orAbsent(""), "The file of the token."),
        .init("password-file", \.passwordFile, Rule.path.orAbsent(""), "The file of the password."),
        .init(
            "ca-file", \.authorities, Rule.path.orAbsent(""), "The authorities whose certificates are believed."),
        .init("interval", \.interval, .number(0...86400, "seconds"), "The least time between two reported locations."),
        .init("insecure", \.isInsecure, .boolean, "Whether HTTP without TLS to other machines is allowed."),
        .init("remote-commands", \.acceptsCommands, .boolean, "Whether commands in the answers are carried out."),
        .init("home", \.movesHome, .boolean, "Whether Home Assistant's own home follows the machine."),
    ]

    /// The destinations of a document, none of which has another's name.
    static func destinations(
        of document: Document, keysElsewhere: [KeyDocumentation]
    ) throws(ConfigurationError) -> [DestinationSettings] {
        var names: Set<String> = []
        return try document.tables(named: "destinations", keysElsewhere: keysElsewhere) {
            (settings: DestinationSettings, place) throws(ConfigurationError) in
            try settings.check(document, place)
            guard names.insert(settings.name).inserted else {
                throw document.error(
                    at: place.appending("name"), "\(settings.name.quoted) is the name of an earlier destination",
                    "give each destination a name of its own")
            }
            return settings
        }
    }

    private func check(_ document: Document, _ place: KeyAddress) throws(ConfigurationError) {
        guard let address else { return }
        guard address.isConfidential || isInsecure else {
            throw document.error(
                at: place.appending("url"), "sends everything in the clear to another machine",
                "use \(address.form.rawValue)+https://, or set insecure to true")
        }
        for (key, isSet, form) in [
            ("home", movesHome, DestinationAddress.Form.homeAssistant),
            ("remote-commands", acceptsCommands, .ownTracks),
        ] where isSet && address.form != form {
            throw document.error(at: place.appending(key), "is for \(form.rawValue) alone", "remove it")
        }
        guard tokenFile == nil || passwordFile == nil else {
            throw document.error(
                at: place.appending("password-file"), "stands beside token-file", "give one of them")
        }
    }

    /// - Parameter credentials: the folder of systemd's credentials, if there is one.
    func destination(
        of broker: FleetConfiguration.Broker, credentials: String?, version: String
    ) -> HTTPDestination? {
        guard let address else { return nil }
        var destination = HTTPDestination(
            name: name, address: address, user: user ?? broker.user ?? Self.usualUser,
            device: device ?? broker.device ?? Self.hostName)
        (destination.interval, destination.acceptsCommands) = (interval, acceptsCommands)
        (destination.movesHome, destination.version) = (movesHome, version)
        destination.secret = { try secret(credentials: credentials) }
        return destination
    }

    static let usualUser = "locationd"

    /// The name of this machine.
    static var hostName: String {
        var bytes = [UInt8](repeating: 0, count: 65)
        let code = bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { gethostname($0.assumingMemoryBound(to: CChar.self), bytes.count - 1) } ?? -1
        }
        let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        return code == 0 && !name.isEmpty ? name : "locationd"
    }

    /// The name of the credential with the secrets of all destinations.
    static let credential = "locationd-fleet.secrets"

    /// Reads the secret.
    ///
    /// - Returns: `nil` if there is none.
    func secret(credentials: String?) throws(ConfigurationError) -> DestinationSecret? {
        if let tokenFile { return .token(try Self.line(of: tokenFile)) }
        if let passwordFile { return .password(try Self.line(of: passwordFile)) }
        guard let path = credentials.map({ "\($0)/\(Self.credential)" }), let text = try TextFile.text(at: path) else {
            return nil
        }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, let secret = DestinationSecret(kind: words[1], Self.secret(words[2])) else {
                throw ConfigurationError(
                    origin: path, problem: "has a line that is none of a secret",
                    remedy: "write NAME token TOKEN, or NAME password PASSWORD, in each")
            }
            if words[0] == name { return secret }
        }
        return nil
    }

    private static func line(of path: String) throws(ConfigurationError) -> String {
        let text = try TextFile.text(at: path) { status throws(Refusal) in
            guard status.st_mode & 0o077 == 0 else {
                throw Refusal("may be read by others than its owner", remedy: "`chmod 600` it")
            }
        }
        guard let text else {
            throw ConfigurationError(
                origin: path, problem: "does not exist", remedy: "write the token or the password into it")
        }
        guard let secret = secret(text.hasSuffix("\n") ? text.dropLast() : text[...]) else {
            throw ConfigurationError(
                origin: path, problem: "is no file of a secret",
                remedy: "write the token or the password into its only line, in ASCII")
        }
        return secret
    }

    /// What can stand in a line of HTTP's head.
    private static func secret(_ text: Substring) -> String? {
        (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            ? String(text) : nil
    }
}

extension DestinationSecret {
    fileprivate init?(kind: Substring, _ text: String?) {
        guard let text else { return nil }
        switch kind {
        case "token": self = .token(text)
        case "password": self = .password(text)
        default: return nil
        }
    }
}

extension Rule<DestinationAddress?> {
    fileprivate static let destinationAddress = Rule(accepts: "\(DestinationAddress.accepted), in quotes") {
        node throws(Refusal) in
        guard case .text(let text) = node else { throw Refusal(node, isNot: "text") }
        do throws(ServiceAddress.Invalid) {
            return try DestinationAddress(text)
        } catch {
            throw Refusal("is no address of a destination", remedy: error.remedy)
        }
    } written: {
        $0?.description.quoted
    }
}

extension Rule<String> {
    fileprivate static let destinationName = text("1 to 32 lower case letters, digits and hyphens in quotes") {
        text throws(Refusal) in
        let isName = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
        }
        guard isName, text.utf8.count <= 32 else { throw Refusal("\(text.quoted) is no such name") }
        guard text != "broker" else { throw Refusal("\(text.quoted) is the broker's name") }
    }

    fileprivate static let loginName = text("at most 64 printable characters of ASCII without a colon, in quotes") {
        text throws(Refusal) in
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3A }) else {
            throw Refusal("\(text.quoted) is something else")
        }
    }

    fileprivate static let deviceName = text("a name of at most 64 bytes in quotes") { text throws(Refusal) in
        guard text.utf8.count <= 64, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }
}
