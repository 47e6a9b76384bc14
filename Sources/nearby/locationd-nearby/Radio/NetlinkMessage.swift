/// One message of netlink: a header of 16 bytes, for generic netlink one of four, and attributes (netlink(7),
/// https://docs.kernel.org/userspace-api/netlink/intro.html). Numbers have the machine's byte order.
struct NetlinkMessage: Equatable {
    var type: UInt16
    var flags: UInt16
    var sequence: UInt32 = 0
    /// All behind the first header.
    var payload: [UInt8]

    static let (headerSize, genericSize, attributeSize) = (16, 4, 4)

    init(type: UInt16, flags: UInt16, sequence: UInt32 = 0, payload: [UInt8]) {
        (self.type, self.flags, self.sequence, self.payload) = (type, flags, sequence, payload)
    }

    /// A request of generic netlink.
    init(family: UInt16, command: UInt8, version: UInt8 = 1, flags: UInt16, _ attributes: [NetlinkAttribute] = []) {
        self.init(
            type: family, flags: flags, payload: [command, version, 0, 0] + attributes.flatMap(\.bytes))
    }

    /// The command of a message of generic netlink; `nil` if it is too short for one.
    var command: UInt8? { payload.count >= Self.genericSize ? payload[0] : nil }

    /// The attributes of a message of generic netlink.
    var attributes: [NetlinkAttribute] { NetlinkAttribute.list(in: payload.dropFirst(Self.genericSize)) }

    var bytes: [UInt8] {
        Self.bytes(of: UInt32(Self.headerSize + payload.count)) + Self.bytes(of: type) + Self.bytes(of: flags)
            + Self.bytes(of: sequence) + Self.bytes(of: UInt32(0)) + payload
    }

    /// The messages of one datagram. A message that claims to be longer than the rest of the datagram ends the parsing.
    static func list(in datagram: some Sequence<UInt8>) -> [NetlinkMessage] {
        var rest = ArraySlice(Array(datagram))
        var messages: [NetlinkMessage] = []
        while rest.count >= headerSize {
            let length = Int(number(in: rest, at: 0, UInt32.self))
            guard length >= headerSize, length <= rest.count else { break }
            messages.append(
                NetlinkMessage(
                    type: number(in: rest, at: 4, UInt16.self), flags: number(in: rest, at: 6, UInt16.self),
                    sequence: number(in: rest, at: 8, UInt32.self),
                    payload: Array(rest.dropFirst(headerSize).prefix(length - headerSize))))
            rest = rest.dropFirst(aligned(length))
        }
        return messages
    }

    /// Messages and attributes begin at multiples of four bytes.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    /// - Returns: 0 if the bytes are too few.
    static func number<Number: FixedWidthInteger>(
        in bytes: ArraySlice<UInt8>, at offset: Int, _ type: Number.Type
    ) -> Number {
        let bytes = bytes.dropFirst(offset).prefix(MemoryLayout<Number>.size)
        guard bytes.count == MemoryLayout<Number>.size else { return 0 }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) }
    }
}

/// One attribute: its length, its type, and a value, which may be attributes again.
struct NetlinkAttribute: Equatable {
    /// Without the two highest bits, which say how the value is to be read.
    var type: UInt16
    var value: [UInt8]

    private static let typeMask: UInt16 = 0x3FFF

    init(_ type: UInt16, _ value: [UInt8]) { (self.type, self.value) = (type, value) }

    init(_ type: UInt16, _ number: some FixedWidthInteger) { self.init(type, NetlinkMessage.bytes(of: number)) }

    /// A text that ends with a zero.
    init(_ type: UInt16, text: String) { self.init(type, Array(text.utf8) + [0]) }

    fileprivate var bytes: [UInt8] {
        let length = NetlinkMessage.attributeSize + value.count
        return NetlinkMessage.bytes(of: UInt16(length)) + NetlinkMessage.bytes(of: type) + value
            + [UInt8](repeating: 0, count: NetlinkMessage.aligned(length) - length)
    }

    /// The attributes in bytes. An attribute that claims to be longer than the rest of the bytes ends the parsing.
    static func list(in bytes: some Sequence<UInt8>) -> [NetlinkAttribute] {
        var rest = ArraySlice(Array(bytes))
        var attributes: [NetlinkAttribute] = []
        while rest.count >= NetlinkMessage.attributeSize {
            let length = Int(NetlinkMessage.number(in: rest, at: 0, UInt16.self))
            guard length >= NetlinkMessage.attributeSize, length <= rest.count else { break }
            attributes.append(
                NetlinkAttribute(
                    NetlinkMessage.number(in: rest, at: 2, UInt16.self) & typeMask,
                    Array(rest.dropFirst(NetlinkMessage.attributeSize).prefix(length - NetlinkMessage.attributeSize))))
            rest = rest.dropFirst(NetlinkMessage.aligned(length))
        }
        return attributes
    }

    /// The attributes that the value consists of.
    var nested: [NetlinkAttribute] { Self.list(in: value) }

    /// The value as a number; `nil` if it has another size.
    func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        value.count == MemoryLayout<Number>.size ? NetlinkMessage.number(in: value[...], at: 0, type) : nil
    }

    /// The value as a text, up to its first zero.
    var text: String { String(decoding: value.prefix { $0 != 0 }, as: UTF8.self) }
}

extension [NetlinkAttribute] {
    /// The first attribute of a type.
    subscript(type type: UInt32) -> NetlinkAttribute? { first { $0.type == type } }
}
