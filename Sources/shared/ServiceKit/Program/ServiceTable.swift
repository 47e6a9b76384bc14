package import Logging

/// The table `[service]` of a program's file.
package protocol ServiceTable: SettingsTable {
    /// The least severe level that is logged.
    var logLevel: Logger.Level { get set }
}

/// The table `[service]` of a program that connects to the daemon.
package protocol DaemonClientTable: ServiceTable {
    /// The path of the daemon's socket.
    var daemon: String { get set }
}

extension Setting where Section: ServiceTable {
    package static var logLevel: Self {
        Self("log-level", \.logLevel, .choice, "The least severe level that is logged.")
    }
}

extension Setting where Section: DaemonClientTable {
    package static var daemon: Self { Self("daemon", \.daemon, .path, "The daemon's socket.") }
}

/// The table `[service]` of a program that needs no further key in it.
package struct DaemonClientSettings: DaemonClientTable, Equatable {
    package var logLevel = Logger.Level.info
    package var daemon = DaemonSocket.usual

    package init() {}

    package static let settings: [Setting<Self>] = [.logLevel, .daemon]
}
