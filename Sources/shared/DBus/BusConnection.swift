import CSystemd
import Glibc

/// A connection to a bus that never blocks, by libsystemd.
///
/// Not for two threads at a time. What is sent before the bus has accepted the connection waits in it.
package struct BusConnection: ~Copyable {
    let functions: csystemd_bus
    let handle: OpaquePointer
    /// What to poll, for ``events``.
    package let descriptor: Int32
    /// The signatures of messages whose arguments are read.
    private let signatures: Set<String>

    /// - Parameters:
    ///   - address: of the bus; `nil` is the system bus, or that of DBUS_SYSTEM_BUS_ADDRESS.
    ///   - library: the name of libsystemd's shared library; loading it again is cheap.
    ///   - signatures: of the messages whose arguments are read; those of others would be read for nothing.
    package init(
        address: String? = nil, library: String = "libsystemd.so.0", reading signatures: Set<String>
    ) throws(BusFailure) {
        var functions = csystemd_bus()
        guard csystemd_load_bus(library, &functions) == 0 else { throw .noLibrary }
        var handle: OpaquePointer?
        let code = Self.open(&handle, at: address, functions)
        guard code >= 0, let handle else {
            if let handle { _ = functions.unref?(handle) }
            throw .failed(Self.words(code))
        }
        self.functions = functions
        self.handle = handle
        self.signatures = signatures
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
    package var events: Int32 {
        let events = functions.get_events?(handle) ?? -1
        return events > 0 ? events : POLLIN
    }

    /// Seconds after which ``receive()`` has to be called at the latest.
    package var patience: Double {
        var deadline = UInt64.max
        guard let code = functions.get_timeout?(handle, &deadline), code >= 0, deadline < .max else { return 3600 }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        return deadline > microseconds ? Double(deadline - microseconds) / 1e6 : 0
    }

    /// - Returns: the next message; `nil` if there is none at present.
    package func receive() throws(BusFailure) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let code = functions.process?(handle, &message) ?? -ENOSYS
            guard code >= 0 else { throw .failed(Self.words(code)) }
            guard code > 0 else { return nil }
            // Without a message something else was done, such as a step of the authentication.
            guard let message else { continue }
            defer { _ = functions.message_unref?(message) }
            if let parsed = BusMessage(message, reading: signatures, functions) { return parsed }
        }
    }

    // MARK: Sending

    /// Calls a method.
    /// - Returns: the call's cookie, which its reply has.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws(BusFailure) -> UInt64 {
        var message: OpaquePointer?
        let code = functions.message_new_method_call?(handle, &message, destination, path, interface, member)
        return try post(message, code, arguments)
    }

    package func reply(to call: CallHandle, _ values: [BusValue] = []) throws(BusFailure) {
        guard call.expectsReply else { return }
        var message: OpaquePointer?
        let code = functions.message_new_method_return?(call.message, &message)
        _ = try post(message, code, values)
    }

    package func replyError(to call: CallHandle, _ name: String, _ text: String) throws(BusFailure) {
        guard call.expectsReply else { return }
        var message: OpaquePointer?
        let code = name.withCString { name in
            text.withCString { text in
                var error = sd_bus_error(name: name, message: text, needs_free: 0)
                return functions.message_new_method_error?(call.message, &message, &error)
            }
        }
        _ = try post(message, code, [])
    }

    /// Sends a signal to one program, or to all that listen.
    package func signal(
        _ path: String, _ interface: String, _ member: String, _ values: [BusValue], to destination: String? = nil
    ) throws(BusFailure) {
        var message: OpaquePointer?
        var code = functions.message_new_signal?(handle, &message, path, interface, member)
        if let done = code, done >= 0, let destination {
            code = functions.message_set_destination?(message, destination)
        }
        _ = try post(message, code, values)
    }

    /// Sends what was made, if it was.
    private func post(_ message: OpaquePointer?, _ code: Int32?, _ values: [BusValue]) throws(BusFailure) -> UInt64 {
        defer { if let message { _ = functions.message_unref?(message) } }
        var cookie: UInt64 = 0
        var code = code ?? -ENOSYS
        if code >= 0, let message {
            code = BusWriter(functions: functions, message: message).append(values)
            if code >= 0 { code = functions.send?(handle, message, &cookie) ?? -ENOSYS }
        }
        guard code >= 0 else { throw .failed(Self.words(code)) }
        return cookie
    }

    static func words(_ code: Int32) -> String {
        String(cString: strerror(abs(code)))
    }
}

/// A call that waits for its reply.
package final class CallHandle {
    fileprivate let message: OpaquePointer
    private let functions: csystemd_bus

    init(_ message: OpaquePointer, _ functions: csystemd_bus) {
        self.message = functions.message_ref?(message) ?? message
        self.functions = functions
    }

    deinit { _ = functions.message_unref?(message) }

    var expectsReply: Bool { (functions.message_get_expect_reply?(message) ?? 0) > 0 }
}
