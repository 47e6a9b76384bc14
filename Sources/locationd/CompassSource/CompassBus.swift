import DBus
@_spi(Programs) import LocationModel

/// The system bus, as iio-sensor-proxy's client needs it.
///
/// Not for two threads. What is sent before the bus has accepted the connection waits in it.
struct CompassBus: ~Copyable {
    private static let (proxy, bus) = ("net.hadess.SensorProxy", "org.freedesktop.DBus")
    private static let compassPath = "/net/hadess/SensorProxy/Compass"
    private static let compassInterface = "net.hadess.SensorProxy.Compass"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let (propertiesSignature, changeSignature, ownerSignature) = ("a{sv}", "sa{sv}as", "sss")

    private let connection: BusConnection

    /// - Parameters:
    ///   - library: the name of libsystemd's shared library; loading it again is cheap.
    ///   - address: of the bus; `nil` is the system bus.
    init(library: String, address: String?) throws(CompassFailure) {
        do throws(BusFailure) {
            connection = try BusConnection(
                address: address, library: library,
                reading: [Self.propertiesSignature, Self.changeSignature, Self.ownerSignature])
        } catch {
            throw CompassFailure(error)
        }
    }

    var descriptor: Int32 { connection.descriptor }

    /// The events to poll for.
    var events: Int32 { connection.events }

    /// Seconds after which ``receive()`` has to be called at the latest.
    var patience: Double { connection.patience }

    /// - Returns: the call's cookie, which its reply has.
    func sendReporting(_ call: CompassCall) throws(CompassFailure) -> UInt64 {
        do throws(BusFailure) { return try post(call) } catch { throw CompassFailure(error) }
    }

    /// Sends a call whose failure makes no difference.
    func send(_ call: CompassCall) {
        _ = try? post(call)
    }

    /// - Returns: the next message; `nil` if there is none at present.
    func receive() throws(CompassFailure) -> CompassMessage? {
        do throws(BusFailure) { return try connection.receive().map(Self.message) } catch {
            throw CompassFailure(error)
        }
    }

    private func post(_ call: CompassCall) throws(BusFailure) -> UInt64 {
        switch call {
        case .watchOwner:
            try addMatch(
                "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.proxy)'"
            )
        case .watchProperties:
            try addMatch(
                "type='signal',sender='\(Self.proxy)',path='\(Self.compassPath)',interface='\(Self.properties)',"
                    + "member='PropertiesChanged',arg0='\(Self.compassInterface)'")
        case .claim: try callProxy(Self.compassInterface, "ClaimCompass")
        case .release: try callProxy(Self.compassInterface, "ReleaseCompass")
        case .getProperties: try callProxy(Self.properties, "GetAll", [.string(Self.compassInterface)])
        }
    }

    private func addMatch(_ rule: String) throws(BusFailure) -> UInt64 {
        try connection.call(Self.bus, "/org/freedesktop/DBus", Self.bus, "AddMatch", [.string(rule)])
    }

    private func callProxy(
        _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws(BusFailure) -> UInt64 {
        try connection.call(Self.proxy, Self.compassPath, interface, member, arguments)
    }

    private static func message(_ message: BusMessage) -> CompassMessage {
        switch message.content {
        case .reply(let cookie):
            return .reply(to: cookie, sender: message.sender, message.arguments.first.flatMap { CompassProperties($0) })
        case .error(let cookie, let name, let text): return .error(to: cookie, name: name, message: text)
        case .signal(_, properties, "PropertiesChanged"):
            guard message.signature == changeSignature else {
                return .propertiesChanged(sender: message.sender, CompassProperties(isMalformed: true))
            }
            guard message.arguments.first?.text == compassInterface, message.arguments.count > 1,
                let properties = CompassProperties(message.arguments[1])
            else { return .other }
            return .propertiesChanged(sender: message.sender, properties)
        // The bus alone sends as itself.
        case .signal(_, bus, "NameOwnerChanged") where message.sender == bus && message.signature == ownerSignature:
            let names = message.arguments.compactMap(\.text)
            guard names.count == 3, names[0] == proxy else { return .other }
            return .ownerChanged(names[2].isEmpty ? nil : names[2])
        case .call, .signal: return .other
        }
    }
}

extension CompassProperties {
    /// - Returns: `nil` if the value is no dictionary of properties.
    fileprivate init?(_ value: BusValue) {
        guard case .properties(let properties) = value else { return nil }
        self.init()
        switch properties["HasCompass"] {
        case .boolean(let hasCompass)?: self.hasCompass = hasCompass
        case nil: break
        default: isMalformed = true
        }
        switch properties["CompassHeading"] {
        case .double(let heading)?: self.heading = heading
        case nil: break
        default: isMalformed = true
        }
    }
}

extension CompassFailure {
    fileprivate init(_ failure: BusFailure) {
        switch failure {
        case .noLibrary: self = .noLibrary
        case .failed(let reason): self = .noBus(reason)
        }
    }
}
