import Glibc

/// The person who has become root by `sudo` or `run0`.
@_spi(Programs) public enum SudoUser {
    /// - Returns: `nil` if this is another user's process than root's, or root has signed in as such. Only root's own
    ///   environment is believed.
    @_spi(Programs) public static var uid: UInt32? {
        guard geteuid() == 0, let text = getenv("SUDO_UID") else { return nil }
        return UInt32(String(cString: text))
    }
}
