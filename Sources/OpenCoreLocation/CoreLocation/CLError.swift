public import Foundation

/// The domain of this module's errors.
public let kCLErrorDomain = "kCLErrorDomain"

/// Why the service does not give what was asked.
///
/// What a delegate is told is a `CLError`, so `error as? CLError`, `error as NSError` and `case CLError.denied` work.
/// As with every error type in Foundation on Linux, an `NSError` is not cast back; `CLError(_nsError:)` does that.
public struct CLError: _BridgedStoredNSError {
    /// The error as Foundation has it.
    public let _nsError: NSError

    /// An error of this module that has been an `NSError`. One of another domain or of an unknown code has the code
    /// ``Code/locationUnknown``.
    public init(_nsError error: NSError) {
        _nsError = error
    }

    /// ``kCLErrorDomain``.
    public static var _nsErrorDomain: String { kCLErrorDomain }

    /// What kind of failure it is.
    public var code: Code {
        _nsError.domain == kCLErrorDomain ? Code(rawValue: _nsError.code) ?? .locationUnknown : .locationUnknown
    }
}
