import Glibc

/// The system calls for reading and replacing a file; a test substitutes a simulated disk.
///
/// Each makes the system call of the same name once, which signals may interrupt, with its flags from <fcntl.h>.
@_spi(Programs) public protocol FileCalls: Sendable {
    /// - Returns: a descriptor, which the caller closes.
    func open(_ path: String, _ flags: Int32, mode: UInt32) throws(CallFailure) -> Int32
    /// - Returns: how many bytes were read, 0 at the end.
    func read(_ descriptor: Int32, into bytes: inout [UInt8]) throws(CallFailure) -> Int
    /// - Returns: how many bytes were written, perhaps not all.
    func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws(CallFailure) -> Int
    func fsync(_ descriptor: Int32) throws(CallFailure)
    /// The descriptor is closed even after a failure.
    func close(_ descriptor: Int32) throws(CallFailure)
    func rename(_ path: String, to newPath: String) throws(CallFailure)
    func unlink(_ path: String) throws(CallFailure)
}

/// The error of a system call.
@_spi(Programs) public struct CallFailure: Error, Equatable, CustomStringConvertible {
    /// One of <errno.h>.
    @_spi(Programs) public let code: Int32

    @_spi(Programs) public init(code: Int32) {
        self.code = code
    }

    @_spi(Programs) public var description: String { String(cString: strerror(code)) }
}

/// The calls of the running system.
@_spi(Programs) public struct SystemFileCalls: FileCalls, Sendable {
    @_spi(Programs) public init() {}

    @_spi(Programs) public func open(_ path: String, _ flags: Int32, mode: UInt32) throws(CallFailure) -> Int32 {
        try checked(Glibc.open(path, flags, mode_t(mode)))
    }

    @_spi(Programs) public func read(_ descriptor: Int32, into bytes: inout [UInt8]) throws(CallFailure) -> Int {
        try checked(bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) })
    }

    @_spi(Programs) public func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws(CallFailure) -> Int {
        try checked(bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) })
    }

    @_spi(Programs) public func fsync(_ descriptor: Int32) throws(CallFailure) {
        _ = try checked(Glibc.fsync(descriptor))
    }

    @_spi(Programs) public func close(_ descriptor: Int32) throws(CallFailure) {
        _ = try checked(Glibc.close(descriptor))
    }

    @_spi(Programs) public func rename(_ path: String, to newPath: String) throws(CallFailure) {
        _ = try checked(Glibc.rename(path, newPath))
    }

    @_spi(Programs) public func unlink(_ path: String) throws(CallFailure) {
        _ = try checked(Glibc.unlink(path))
    }

    private func checked<Number: SignedInteger>(_ result: Number) throws(CallFailure) -> Number {
        guard result >= 0 else { throw CallFailure(code: errno) }
        return result
    }
}
