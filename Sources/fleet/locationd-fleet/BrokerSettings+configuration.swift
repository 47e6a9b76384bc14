import Delivery
import Fleet
import ServiceKit

extension FleetConfiguration {
    /// The device that publishes, if broker, user and device are given, or destinations without a broker.
    func device() throws(NotConfigured) -> FleetDevice {
        guard broker.addresses != nil else {
            // The topic of OwnTracks' messages, which each destination's own names replace.
            let device =
                destinations.isEmpty
                ? nil
                : FleetDevice(
                    user: broker.user ?? DestinationSettings.usualUser,
                    device: broker.device ?? DestinationSettings.hostName.filter(FleetDevice.isNameCharacter),
                    trackerID: broker.trackerID)
            guard let device else { throw .broker }
            return device
        }
        guard let user = broker.user, let name = broker.device,
            let device = FleetDevice(user: user, device: name, trackerID: broker.trackerID)
        else { throw .device }
        guard !messages.forms.isEmpty else { throw .messages }
        return device
    }

    /// How to connect; `nil` if there is no broker.
    ///
    /// - Parameter credentials: the folder of systemd's credentials, if there is one.
    func brokerSettings(for device: FleetDevice, credentials: String?) throws -> BrokerSettings? {
        guard broker.addresses != nil else { return nil }
        var settings = try brokerSettings(
            clientID: broker.clientID ?? "locationd-\(device.user)-\(device.device)", credentials: credentials)
        settings.subscription = broker.acceptsCommands ? device.commandTopic : nil
        return settings
    }

    /// How to connect in order to list the devices: by a name of its own, so that the service stays connected.
    func listSettings(credentials: String?) throws -> BrokerSettings {
        let number = UInt32.random(in: 0...UInt32.max)
        return try brokerSettings(clientID: "locationd-list-\(String(number, radix: 16))", credentials: credentials)
    }

    private func brokerSettings(clientID: String, credentials: String?) throws -> BrokerSettings {
        guard let addresses = broker.addresses else { throw NotConfigured.broker }
        var settings = BrokerSettings(addresses, clientID: clientID)
        settings.keepalive = broker.keepalive
        settings.tls = broker.tls
        settings.triesVersion5 = broker.triesVersion5
        settings.login = try login(credentials: credentials)
        return settings
    }

    /// The name of the credential with user name and password.
    static let credential = "locationd-fleet.login"

    private func login(credentials: String?) throws(ConfigurationError) -> BrokerLogin? {
        guard let path = broker.loginFile ?? credentials.map({ "\($0)/\(Self.credential)" }) else { return nil }
        guard let text = try TextFile.text(at: path) else {
            // A service without a login has a folder of credentials without that file.
            guard broker.loginFile != nil else { return nil }
            throw ConfigurationError(
                origin: path, problem: "does not exist", remedy: "check the path after --password-file")
        }
        guard let login = BrokerLogin(text) else {
            throw ConfigurationError(
                origin: path, problem: "is no file of a password",
                remedy: "write the user name in the first line and the password in the second")
        }
        return login
    }
}

/// What the program needs and nobody has given.
enum NotConfigured: UsageError, CustomStringConvertible {
    case broker
    case device
    case messages

    private static let file = "the configuration, \(FleetConfiguration.defaultPath) unless --config names another"

    var description: String {
        switch self {
        case .broker:
            "there is no broker; give --broker mqtt://HOST:PORT, or broker.url in \(Self.file), or [[destinations]] there"
        case .device:
            "there is no user or no device; give --user NAME and --device NAME, or broker.user and broker.device in \(Self.file)"
        case .messages:
            "there is nothing to publish; enable one of messages.own-tracks, messages.plain and messages.home-assistant in "
                + Self.file
        }
    }
}
