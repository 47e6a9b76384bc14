import Glibc

/// Takes one descriptor that comes with one byte over a Unix socket, waiting as long as the socket's own patience.
///
/// Swift knows none of the macros for control messages: on Linux one begins with its length (8 bytes), its level and
/// its type (4 each), and the descriptor follows.
///
/// - Returns: `nil` if the byte comes without a descriptor.
/// - Throws: that nothing comes.
package func receiveDescriptor(_ socket: Int32) throws -> Int32? {
    var byte: UInt8 = 0
    return try withUnsafeMutablePointer(to: &byte) { byte in
        try withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { control in
            var part = iovec(iov_base: byte, iov_len: 1)
            let (count, length) = withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                message.msg_control = control.baseAddress
                message.msg_controllen = control.count
                let count = recvmsg(socket, &message, Int32(MSG_CMSG_CLOEXEC))
                return (count, message.msg_controllen)
            }
            guard count == 1 else { throw Failure("nothing was handed over") }
            return length >= 20 ? control.load(fromByteOffset: 16, as: Int32.self) : nil
        }
    }
}
