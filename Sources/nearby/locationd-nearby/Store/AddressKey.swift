import AccessPoints
import CCrypto
@_spi(Programs) import SystemSupport

/// The key of this machine under which addresses of access points are remembered: HMAC-SHA-256 (RFC 2104), so that the
/// file of places alone names no access point, and cannot be compared with lists of them.
struct AddressKey: Sendable {
    /// Bytes of a key, as many as of a hash.
    static let size = 32
    private let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the key; creates a file with a random key, readable by its owner alone, if there is no such file.
    ///
    /// - Throws: why the key can be neither read nor created, and the remedy.
    static func load(from path: String) throws(AddressKeyError) -> AddressKey {
        let file = AtomicFile(path: path)
        if let key = try read(file) { return key }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        do throws(AtomicFile.Failure) {
            try file.replace(with: bytes)
        } catch {
            throw AddressKeyError(path, "it cannot be made (\(error.cause))", "check its directory")
        }
        return AddressKey(bytes: bytes)
    }

    /// - Returns: `nil` if there is no file.
    private static func read(_ file: AtomicFile) throws(AddressKeyError) -> AddressKey? {
        let content: [UInt8]?
        do throws(AtomicFile.Failure) {
            content = try file.content(limit: size)
        } catch {
            guard error.isTooLong else {
                throw AddressKeyError(file.path, "it cannot be read (\(error.cause))", "check its owner and mode")
            }
            content = []
        }
        guard let content else { return nil }
        guard content.count == size else {
            throw AddressKeyError(
                file.path, "it is no key of \(size) bytes", "restore it, or remove it and the file of places")
        }
        return AddressKey(bytes: content)
    }

    /// What stands for an address in the file of places.
    func hash(of address: HardwareAddress) -> [UInt8] { hash(of: address.bytes) }

    /// What tells whether a file of places was made with this key.
    var mark: [UInt8] { hash(of: Array("locationd-nearby".utf8)) }

    func hash(of message: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: Self.size)
        var count = UInt32(0)
        _ = HMAC(EVP_sha256(), bytes, Int32(bytes.count), message, message.count, &result, &count)
        return result
    }
}

/// Why a key cannot be used, and what to do.
struct AddressKeyError: Error, CustomStringConvertible, Equatable {
    let description: String

    init(_ path: String, _ problem: String, _ remedy: String) {
        description = "the key \(path): \(problem); \(remedy)"
    }
}
