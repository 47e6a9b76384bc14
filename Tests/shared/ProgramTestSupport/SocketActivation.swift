import Foundation

/// `systemd-socket-activate`, which passes on no variable that it is not told of.
package enum SocketActivation {
    /// Arguments that pass on what a sanitizer is told.
    package static let passingSanitizers = ["ASAN_OPTIONS", "TSAN_OPTIONS"]
        .filter { ProcessInfo.processInfo.environment[$0] != nil }.flatMap { ["-E", $0] }
}
