/// How far the way from receiver to fix has come.
public enum SourceState: String, OpenEnumeration {
    /// Nobody asks, or the service is switched off.
    case stopped
    /// Connecting to what delivers fixes.
    case starting
    /// Connected; no fix yet.
    case searching
    /// Fixes arrive.
    case tracking
    /// There was a fix; there is none now.
    case lost
    /// Cannot be reached at present; retries go on.
    case unavailable
    /// A state of a later version.
    case unknown
}
