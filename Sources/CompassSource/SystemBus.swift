import CSystemd
import Glibc

/// A connection to the system bus that never blocks, by libsystemd.
///
/// Not for two threads. What is sent before the bus has accepted the connection waits in it.
struct SystemBus: ~Copyable {
    private static let (proxy, bus) = ("net.hadess.SensorProxy", "org.freedesktop.DBus")
    private static let compassPath = "/net/hadess/SensorProxy/Compass"
    private static let compassInterface = "net.hadess.SensorProxy.Compass"
    private static let properties = "org.freedesktop.DBus.Properties"

    private let functions: csystemd_bus
    private let handle: OpaquePointer
    let descriptor: Int32

    /// - Parameters:
    ///   - library: the name of libsystemd's shared library; loading it again is cheap.
    ///   - address: of the bus; `nil` is the system bus.
    init(library: String, address: String?) throws(CompassFailure) {
        var functions = csystemd_bus()
        guard csystemd_load_bus(library, &functions) == 0 else { throw .noLibrary }
        var handle: OpaquePointer?
        let code = Self.open(&handle, at: address, functions)
        guard code >= 0, let handle else {
            if let handle { _ = functions.unref?(handle) }
            throw .noBus(Self.words(code))
        }
        self.functions = functions
        self.handle = handle
        descriptor = functions.get_fd?(handle) ?? -1
    }

    private static func open(_ handle: inout OpaquePointer?, at address: String?, _ functions: csystemd_bus) -> Int32 {
        guard let address else { return functions.open_system?(&handle) ?? -ENOSYS }
        var code = functions.new?(&handle) ?? -ENOSYS
        if code >= 0 { code = functions.set_address?(handle, address) ?? -ENOSYS }
        if code >= 0 { code = functions.set_bus_client?(handle, 1) ?? -ENOSYS }
        return code < 0 ? code : functions.start?(handle) ?? -ENOSYS
    }

    deinit {
        functions.close?(handle)
        _ = functions.unref?(handle)
    }

    /// The events to poll for.
    var events: Int32 {
        let events = functions.get_events?(handle) ?? -1
        return events > 0 ? events : POLLIN
    }

    /// Seconds after which ``receive()`` has to be called at the latest.
    var patience: Double {
        var deadline = UInt64.max
        guard let code = functions.get_timeout?(handle, &deadline), code >= 0, deadline < .max else { return 3600 }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        return deadline > microseconds ? Double(deadline - microseconds) / 1e6 : 0
    }

    /// - Returns: the call's cookie, which its reply has.
    func sendReporting(_ call: CompassCall) throws(CompassFailure) -> UInt64 {
        let (code, cookie) = post(call)
        guard code >= 0 else { throw .noBus(Self.words(code)) }
        return cookie
    }

    /// Sends a call whose failure makes no difference.
    func send(_ call: CompassCall) {
        _ = post(call)
    }

    /// - Returns: the next message; `nil` if there is none at present.
    func receive() throws(CompassFailure) -> CompassMessage? {
        while true {
            var message: OpaquePointer?
            let code = functions.process?(handle, &message) ?? -ENOSYS
            guard code >= 0 else { throw .noBus(Self.words(code)) }
            guard code > 0 else { return nil }
            // Without a message something else was done, such as a step of the authentication.
            guard let message else { continue }
            defer { _ = functions.message_unref?(message) }
            return parse(message)
        }
    }

    private func post(_ call: CompassCall) -> (code: Int32, cookie: UInt64) {
        switch call {
        case .watchOwner:
            addMatch(
                "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.proxy)'"
            )
        case .watchProperties:
            addMatch(
                "type='signal',sender='\(Self.proxy)',path='\(Self.compassPath)',interface='\(Self.properties)',"
                    + "member='PropertiesChanged',arg0='\(Self.compassInterface)'")
        case .claim: post(Self.proxy, Self.compassPath, Self.compassInterface, "ClaimCompass")
        case .release: post(Self.proxy, Self.compassPath, Self.compassInterface, "ReleaseCompass")
        case .getProperties: post(Self.proxy, Self.compassPath, Self.properties, "GetAll", Self.compassInterface)
        }
    }

    private func addMatch(_ rule: String) -> (code: Int32, cookie: UInt64) {
        post(Self.bus, "/org/freedesktop/DBus", Self.bus, "AddMatch", rule)
    }

    private func post(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ argument: String? = nil
    ) -> (code: Int32, cookie: UInt64) {
        var message: OpaquePointer?
        var cookie: UInt64 = 0
        var code = functions.message_new_method_call?(handle, &message, destination, path, interface, member) ?? -ENOSYS
        guard code >= 0, let message else { return (code, 0) }
        defer { _ = functions.message_unref?(message) }
        if let argument {
            code = argument.withCString { functions.message_append_basic?(message, Signature.string, $0) ?? -ENOSYS }
        }
        if code >= 0 { code = functions.send?(handle, message, &cookie) ?? -ENOSYS }
        return (code, cookie)
    }

    private static func words(_ code: Int32) -> String {
        String(cString: strerror(abs(code)))
    }
}

/// The reading of messages.
extension SystemBus {
    /// The types of D-Bus that are used.
    private enum Signature {
        static let string = CChar(bitPattern: UInt8(ascii: "s"))
        static let boolean = CChar(bitPattern: UInt8(ascii: "b"))
        static let double = CChar(bitPattern: UInt8(ascii: "d"))
        static let array = CChar(bitPattern: UInt8(ascii: "a"))
        static let entry = CChar(bitPattern: UInt8(ascii: "e"))
        static let variant = CChar(bitPattern: UInt8(ascii: "v"))
    }

    private func parse(_ message: OpaquePointer) -> CompassMessage {
        let sender = functions.message_get_sender?(message).map { String(cString: $0) }
        var cookie: UInt64 = 0
        if let code = functions.message_get_reply_cookie?(message, &cookie), code >= 0 {
            guard let error = functions.message_get_error?(message)?.pointee else {
                return .reply(to: cookie, sender: sender, readProperties(message))
            }
            return .error(to: cookie, name: text(error.name) ?? "", message: text(error.message) ?? "")
        }
        if isSignal(message, Self.properties, "PropertiesChanged") {
            guard readString(message) == Self.compassInterface else { return .other }
            return .propertiesChanged(
                sender: sender, readProperties(message) ?? CompassProperties(isMalformed: true))
        }
        // The bus alone sends as itself.
        if sender == Self.bus, isSignal(message, Self.bus, "NameOwnerChanged") {
            guard readString(message) == Self.proxy, readString(message) != nil, let owner = readString(message)
            else { return .other }
            return .ownerChanged(owner.isEmpty ? nil : owner)
        }
        return .other
    }

    /// - Returns: `nil` if what follows in the message is no dictionary of properties.
    private func readProperties(_ message: OpaquePointer) -> CompassProperties? {
        guard enter(message, Signature.array, "{sv}") else { return nil }
        var properties = CompassProperties()
        while enter(message, Signature.entry, "sv") {
            guard let name = readString(message) else { break }
            readProperty(named: name, of: message, into: &properties)
            guard let code = functions.message_exit_container?(message), code >= 0 else { break }
        }
        _ = functions.message_exit_container?(message)
        return properties
    }

    private func readProperty(
        named name: String, of message: OpaquePointer, into properties: inout CompassProperties
    ) {
        switch name {
        case "HasCompass" where hasVariant("b", message) && enter(message, Signature.variant, "b"):
            var value: Int32 = 0
            if (functions.message_read_basic?(message, Signature.boolean, &value) ?? -1) > 0 {
                properties.hasCompass = value != 0
            }
            _ = functions.message_exit_container?(message)
        case "CompassHeading" where hasVariant("d", message) && enter(message, Signature.variant, "d"):
            var value = 0.0
            if (functions.message_read_basic?(message, Signature.double, &value) ?? -1) > 0 {
                properties.heading = value
            }
            _ = functions.message_exit_container?(message)
        default:
            if name == "HasCompass" || name == "CompassHeading" { properties.isMalformed = true }
            _ = functions.message_skip?(message, "v")
        }
    }

    /// Whether a variant of this type follows.
    private func hasVariant(_ signature: String, _ message: OpaquePointer) -> Bool {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard let code = functions.message_peek_type?(message, &type, &contents), code > 0, type == Signature.variant
        else { return false }
        return text(contents) == signature
    }

    private func enter(_ message: OpaquePointer, _ type: CChar, _ contents: String) -> Bool {
        (functions.message_enter_container?(message, type, contents) ?? -1) > 0
    }

    private func readString(_ message: OpaquePointer) -> String? {
        var value: UnsafePointer<CChar>?
        guard let code = functions.message_read_basic?(message, Signature.string, &value), code > 0 else { return nil }
        return text(value)
    }

    private func isSignal(_ message: OpaquePointer, _ interface: String, _ member: String) -> Bool {
        (functions.message_is_signal?(message, interface, member) ?? 0) > 0
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
