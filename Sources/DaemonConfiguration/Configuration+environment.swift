import Logging
import StrictTOML

extension Configuration {
    /// Takes over `LOCATIOND_GPSD` (`HOST:PORT`) and `LOCATIOND_LOG_LEVEL`; an empty variable says nothing.
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

    /// Leaves one source: gpsd at that address, as patient as the first gpsd of before.
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
