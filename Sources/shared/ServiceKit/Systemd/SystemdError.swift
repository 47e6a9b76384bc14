/// An error between the service and systemd: one sentence that says what to do.
package struct SystemdError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
