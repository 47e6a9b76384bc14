import Glibc
import Logging
import ServiceKit

extension Configuration {
    /// This configuration with the command line's overrides.
    ///
    /// A flag that names a source replaces all sources. `--gpsd` keeps the silence time-out of the first configured
    /// gpsd; `--simulate` uses the first configured simulator, or a default one.
    package func applying(_ flags: Flags) -> Configuration {
        var configuration = self
        if let level = flags.logLevel { configuration.service.logLevel = level }
        switch flags.source {
        case .gpsd(let address): configuration.replaceSources(withGPSDAt: address)
        case .simulator:
            let configured = sources.first { $0.kind is Simulator }
            configuration.sources = [configured ?? Source(Simulator())]
        case .replay(let file): configuration.sources = [Source(Replay(file: file))]
        case nil: break
        }
        return configuration
    }
}

extension Configuration {
    /// Applies `LOCATIOND_GPSD` (`HOST:PORT`) and `LOCATIOND_LOG_LEVEL`; an empty variable is ignored.
    mutating func apply(environment: [String: String]) throws(ConfigurationError) {
        try Self.read("LOCATIOND_GPSD", in: environment, "write HOST:PORT") { text throws(Refusal) in
            replaceSources(withGPSDAt: try HostAndPort(parsing: text))
        }
        let levels = Rule<Logger.Level>.choice
        try Self.read("LOCATIOND_LOG_LEVEL", in: environment, "use \(levels.accepts)") { text throws(Refusal) in
            service.logLevel = try levels.read(.text(text))
        }
    }

    private static func read(
        _ name: String, in environment: [String: String], _ remedy: String,
        take: (String) throws(Refusal) -> Void
    ) throws(ConfigurationError) {
        guard let text = environment[name], !text.isEmpty else { return }
        do {
            try take(text)
        } catch {
            throw ConfigurationError(
                origin: "environment", key: name, problem: error.problem, remedy: error.remedy ?? remedy)
        }
    }

    /// Replaces the sources by gpsd at that address, with the silence time-out of the first configured gpsd.
    mutating func replaceSources(withGPSDAt address: HostAndPort) {
        var gpsd = GPSD()
        gpsd.host = address.host
        gpsd.port = address.port
        if let earlier = sources.lazy.compactMap({ $0.kind as? GPSD }).first {
            gpsd.silenceTimeout = earlier.silenceTimeout
        }
        sources = [Source(gpsd)]
    }
}

/// The address of gpsd.
package struct HostAndPort: Sendable, Equatable {
    /// A host name or an address; an IPv6 address has no brackets.
    package var host: String
    /// A TCP port, 1...65535.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`; the default port is gpsd's.
    init(parsing text: String) throws(Refusal) {
        var host = Substring(text)
        var port: Substring?
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else {
                throw Refusal("\(text.quoted) has no closing bracket", remedy: "write an IPv6 address as [::1]:2947")
            }
            host = text[text.index(after: text.startIndex)..<bracket]
            let rest = text[text.index(after: bracket)...]
            guard host.contains(":"), rest.isEmpty || rest.hasPrefix(":") else {
                throw Refusal("\(text.quoted) is not an address", remedy: "write an IPv6 address as [::1]:2947")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
            guard port?.contains(":") == false else {
                throw Refusal("\(text.quoted) has several colons", remedy: "write an IPv6 address as [::1]:2947")
            }
        }
        if let problem = Self.problem(withHost: String(host)) { throw problem }
        self.host = String(host)
        self.port = Configuration.GPSD().port
        guard let port else { return }
        guard let number = Self.port(port) else {
            throw Refusal("\(port.quoted) is not a port", remedy: "use an integer from 1 to 65535 after the colon")
        }
        self.port = number
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text).flatMap { (1...65535).contains($0) ? $0 : nil }
    }

    /// What is wrong with a host name or an address without brackets; `nil` if it is valid.
    static func problem(withHost host: String) -> Refusal? {
        if host.isEmpty { return Refusal("the host is empty", remedy: "write a host name or an address") }
        if host.hasPrefix("[") {
            return Refusal("\(host.quoted) has brackets", remedy: "write the address without them")
        }
        let isPlain = host.utf8.allSatisfy { $0.isBareKey || ".:%".utf8.contains($0) } && !host.hasPrefix("-")
        if isPlain, host.contains(":") {
            // A zone such as %eth0 is left to the resolver.
            let address = String(host.prefix { $0 != "%" })
            var parsed = in6_addr()
            if inet_pton(AF_INET6, address, &parsed) == 1 { return nil }
            let hasPort = host.utf8.count { $0 == UInt8(ascii: ":") } == 1
            return Refusal(
                "\(host.quoted) is not an IPv6 address",
                remedy: hasPort ? "write the port apart from the host, in the key port" : nil)
        }
        guard isPlain, !host.contains("%"), host.utf8.count <= 253 else {
            return Refusal("\(host.quoted) is not a host name")
        }
        return nil
    }
}
