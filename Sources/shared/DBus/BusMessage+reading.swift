import CSystemd

/// The reading of a message of the library.
extension BusMessage {
    /// - Returns: `nil` for a message of no known kind.
    init?(_ message: OpaquePointer, reading signatures: Set<String>, _ functions: csystemd_bus) {
        let reader = BusReader(functions: functions, message: message)
        var type: UInt8 = 0
        guard let code = functions.message_get_type?(message, &type), code >= 0 else { return nil }
        let path = reader.text(functions.message_get_path?(message))
        let interface = reader.text(functions.message_get_interface?(message))
        let member = reader.text(functions.message_get_member?(message))
        var cookie: UInt64 = 0
        switch (Kind(rawValue: type), path, member) {
        case (.call?, let path?, let member?):
            content = .call(path: path, interface: interface, member: member, handle: CallHandle(message, functions))
        case (.signal?, let path?, let member?):
            content = .signal(path: path, interface: interface ?? "", member: member)
        case (.reply?, _, _), (.error?, _, _):
            guard let code = functions.message_get_reply_cookie?(message, &cookie), code >= 0 else { return nil }
            if let error = functions.message_get_error?(message)?.pointee {
                content = .error(
                    to: cookie, name: reader.text(error.name) ?? "", message: reader.text(error.message) ?? "")
            } else {
                content = .reply(to: cookie)
            }
        default: return nil
        }
        sender = reader.text(functions.message_get_sender?(message))
        signature = reader.text(functions.message_get_signature?(message, 1)) ?? ""
        arguments = signatures.contains(signature) ? reader.readAll() : []
    }

    /// The values of SD_BUS_MESSAGE_….
    private enum Kind: UInt8 {
        case call = 1
        case reply, error, signal
    }
}

/// Reads the arguments of a message.
private struct BusReader {
    let functions: csystemd_bus
    let message: OpaquePointer

    func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    func readAll() -> [BusValue] {
        var values: [BusValue] = []
        while let value = read() { values.append(value) }
        return values
    }

    /// - Returns: `nil` at the end, of the message or of the container that was entered.
    private func read() -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard let code = functions.message_peek_type?(message, &type, &contents), code > 0 else { return nil }
        let signature = text(contents) ?? ""
        switch Character(UnicodeScalar(UInt8(truncatingIfNeeded: type))) {
        case "s": return readText(type).map(BusValue.string)
        case "o": return readText(type).map(BusValue.objectPath)
        case "b": return readBasic(type, CInt(0)).map { .boolean($0 != 0) }
        case "i": return readBasic(type, Int32(0)).map(BusValue.int32)
        case "u": return readBasic(type, UInt32(0)).map(BusValue.uint32)
        case "t": return readBasic(type, UInt64(0)).map(BusValue.uint64)
        case "d": return readBasic(type, 0.0).map(BusValue.double)
        case "h": return readBasic(type, CInt(-1)).flatMap { BusDescriptor(copying: $0) }.map(BusValue.descriptor)
        case "v": return readVariant(signature)
        case "a" where signature == "s":
            return within("a", signature) { .strings(readAll().compactMap(\.text)) }
        case "a" where signature == "{sv}":
            return within("a", signature) { .properties(readProperties()) }
        case "a" where signature == "{ss}":
            return within("a", signature) { .texts(readTexts()) }
        case "r" where !signature.contains(where: "(v".contains):
            return within("r", signature) { .structure(readAll()) }
        case "r": return skip("(\(signature))")
        case "a": return skip("a\(signature)")
        case let other: return skip(String(other))
        }
    }

    private func readVariant(_ signature: String) -> BusValue? {
        // A variant of a variant may be nested deeply.
        guard ["s", "o", "b", "u", "t", "d", "h"].contains(signature) else {
            return skip("v").map { _ in .variant(.other(signature: signature)) }
        }
        return within("v", signature) { read().map(BusValue.variant) }
    }

    private func readProperties() -> [String: BusValue] {
        var properties: [String: BusValue] = [:]
        while (functions.message_enter_container?(message, Character("e").typeCode, "sv") ?? -1) > 0 {
            let (name, value) = (read(), read())
            if case .string(let name)? = name, case .variant(let value)? = value { properties[name] = value }
            guard let code = functions.message_exit_container?(message), code >= 0 else { break }
        }
        return properties
    }

    private func readTexts() -> [String: String] {
        var texts: [String: String] = [:]
        while (functions.message_enter_container?(message, Character("e").typeCode, "ss") ?? -1) > 0 {
            if let name = read()?.text, let text = read()?.text { texts[name] = text }
            guard let code = functions.message_exit_container?(message), code >= 0 else { break }
        }
        return texts
    }

    private func readText(_ type: CChar) -> String? {
        var value: UnsafePointer<CChar>?
        guard let code = functions.message_read_basic?(message, type, &value), code > 0 else { return nil }
        return text(value)
    }

    private func readBasic<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) -> Value? {
        var value = zero
        let code = withUnsafeMutablePointer(to: &value) { functions.message_read_basic?(message, type, $0) }
        guard let code, code > 0 else { return nil }
        return value
    }

    private func within(_ type: Character, _ contents: String, _ body: () -> BusValue?) -> BusValue? {
        guard (functions.message_enter_container?(message, type.typeCode, contents) ?? -1) > 0 else { return nil }
        let value = body()
        guard let code = functions.message_exit_container?(message), code >= 0 else { return nil }
        return value
    }

    private func skip(_ signature: String) -> BusValue? {
        guard let code = functions.message_skip?(message, signature), code >= 0 else { return nil }
        return .other(signature: signature)
    }
}
