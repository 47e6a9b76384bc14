import Glibc

/// The system calls for reading and replacing a file; a test substitutes a simulated disk.
///
/// Each makes the system call of the same name once, which signals may interrupt, with its flags from <fcntl.h>.
package protocol FileCalls: Sendable {
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
