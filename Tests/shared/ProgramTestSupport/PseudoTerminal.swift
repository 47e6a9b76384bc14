import Glibc

/// A terminal without a device: what is written here is what gpsd reads from its receiver.
package final class PseudoTerminal: Sendable {
    private let descriptor: Int32
    /// The path to open on the other side.
    package let path: String

    package init() throws {
        var master: Int32 = -1
        var device: Int32 = -1
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&master, &device, &name, nil, nil) == 0 else { throw Failure("no pseudo terminal: \(errno)") }
        // Programs that a test starts would keep it open after the test.
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        // gpsd opens it by itself, and leaves alone what somebody else has open.
        defer { close(device) }
        descriptor = master
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        // Nobody may turn CR into LF, or echo, before gpsd sets the terminal up itself.
        var settings = termios()
        tcgetattr(device, &settings)
        cfmakeraw(&settings)
        // gpsd gives up being root before it opens the device. Who writes here must not wait for gpsd to read.
        guard tcsetattr(device, TCSANOW, &settings) == 0, chmod(path, 0o666) == 0,
            fcntl(master, F_SETFL, O_NONBLOCK) == 0
        else { throw Failure("pseudo terminal not set up: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends text to the other side; it is lost if nobody has read there for long.
    package func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) > 0 || errno == EAGAIN else {
            throw Failure("pseudo terminal not written: \(errno)")
        }
    }
}
