import Glibc

/// The system calls by which a file is read and replaced; a test puts a disk of its own in their place.
///
/// Each is one call of the same name, interrupted by signals as it may be, with its flags as in <fcntl.h>.
package protocol FileCalls: Sendable {
    /// - Returns: a descriptor, to be closed by the caller.
    func open(_ path: String, _ flags: Int32, mode: UInt32) throws(CallFailure) -> Int32
    /// - Returns: how many bytes were read, 0 at the end.
    func read(_ descriptor: Int32, into bytes: inout [UInt8]) throws(CallFailure) -> Int
    /// - Returns: how many bytes were taken, perhaps not all.
    func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws(CallFailure) -> Int
    func fsync(_ descriptor: Int32) throws(CallFailure)
    /// The descriptor is gone even after a failure.
    func close(_ descriptor: Int32) throws(CallFailure)
    func rename(_ path: String, to newPath: String) throws(CallFailure)
    func unlink(_ path: String) throws(CallFailure)
}

/// What a system call said instead of doing its part.
package struct CallFailure: Error, Equatable, CustomStringConvertible {
    /// One of <errno.h>.
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }

    package var description: String { String(cString: strerror(code)) }
}

/// The calls of the running system.
package struct SystemFileCalls: FileCalls {
    package init() {}

    package func open(_ path: String, _ flags: Int32, mode: UInt32) throws(CallFailure) -> Int32 {
        try checked(Glibc.open(path, flags, mode_t(mode)))
    }

    package func read(_ descriptor: Int32, into bytes: inout [UInt8]) throws(CallFailure) -> Int {
        try checked(bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) })
    }

    package func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws(CallFailure) -> Int {
        try checked(bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) })
    }

    package func fsync(_ descriptor: Int32) throws(CallFailure) {
        _ = try checked(Glibc.fsync(descriptor))
    }

    package func close(_ descriptor: Int32) throws(CallFailure) {
        _ = try checked(Glibc.close(descriptor))
    }

    package func rename(_ path: String, to newPath: String) throws(CallFailure) {
        _ = try checked(Glibc.rename(path, newPath))
    }

    package func unlink(_ path: String) throws(CallFailure) {
        _ = try checked(Glibc.unlink(path))
    }

    private func checked<Number: SignedInteger>(_ result: Number) throws(CallFailure) -> Number {
        guard result >= 0 else { throw CallFailure(code: errno) }
        return result
    }
}
