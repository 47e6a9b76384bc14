import CLinux
import Glibc

/// Offers bytes to a socket without waiting; returns how many it took, or the error's number, negative.
package typealias SendNow = (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

/// What the kernel takes of them.
package func offer(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = clinux_send(descriptor, bytes.baseAddress, bytes.count)
    return taken < 0 ? -Int(errno) : taken
}

/// How many bytes that were sent over a socket the other side has not read.
package typealias UnreadNow = (_ descriptor: Int32) -> Int

/// The same as the kernel has it, which counts what it needs for them itself.
package func unread(_ descriptor: Int32) -> Int {
    Int(clinux_unread(descriptor))
}
