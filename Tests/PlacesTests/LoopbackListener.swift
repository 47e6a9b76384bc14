import Glibc
import TestSupport

/// A socket that listens on a free port of 127.0.0.1.
final class LoopbackListener: Sendable {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
            return bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
                && getsockname(descriptor, address, &length) == 0
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { throw Failure("no socket to listen on: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }
}
