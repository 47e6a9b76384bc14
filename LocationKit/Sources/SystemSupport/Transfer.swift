import Glibc

/// What a read or a write of a descriptor that does not block has done.
@_spi(Programs) public enum Transfer: Sendable {
    case bytes(Int)
    /// The kernel has nothing, or takes nothing, at present.
    case nothingNow
    /// The other side has ended, or the connection has failed.
    case end

    /// - Parameter count: what the system's call has returned; asked directly after it, while `errno` is its own.
    @_spi(Programs) public init(of count: Int) {
        if count > 0 {
            self = .bytes(count)
        } else {
            self = count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingNow : .end
        }
    }
}
