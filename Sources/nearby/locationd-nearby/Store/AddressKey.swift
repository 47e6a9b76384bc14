import AccessPoints
import CCrypto
import Glibc
@_spi(Programs) import SystemSupport

/// The key of this machine under which addresses of access points are remembered: HMAC-SHA-256 (RFC 2104), so that the file of places
/// alone names no access point, and cannot be compared with lists of them.
struct AddressKey: Sendable {
    /// Bytes of a key, as many as of a hash.
    static let size = 32
    private let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the key, or makes one where none is.
    ///
    /// - Throws: why there is none, and the remedy.
    static func load(from path: String) throws(AddressKeyError) -> AddressKey {
        if let key = try read(path) { return key }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            // Another process has made one meanwhile.
            if errno == EEXIST, let key = try read(path) { return key }
            throw AddressKeyError(
                path, "it cannot be made (\(String(cString: strerror(errno))))", "check its directory")
        }
        defer { close(descriptor) }
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(path)
            throw AddressKeyError(path, "it cannot be written (\(reason))", "check the disk")
        }
        return AddressKey(bytes: bytes)
    }

    /// - Returns: `nil` if there is no file.
    private static func read(_ path: String) throws(AddressKeyError) -> AddressKey? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AddressKeyError(
                path, "it cannot be read (\(String(cString: strerror(errno))))", "check its owner and mode")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: size + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count == size else {
            throw AddressKeyError(
                path, "it is no key of \(size) bytes", "restore it, or remove it and the file of places")
        }
        return AddressKey(bytes: Array(bytes.prefix(size)))
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
