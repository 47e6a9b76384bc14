import Glibc

/// Another user than the one who runs the tests.
package struct OtherUser: Sendable {
    package let number: UInt32

    package init(number: UInt32) {
        self.number = number
    }

    /// Only root may become somebody else.
    package static var canBeBecome: Bool { geteuid() == 0 }

    /// Somebody without any group of the system.
    package static let stranger = OtherUser(number: 61_234)

    /// The words before a program's that run it as this user.
    package var command: [String] {
        ["--reuid=\(number)", "--regid=\(number)", "--clear-groups", "--"]
    }
}
