public import Foundation

/// Means nothing: a program on Linux runs on without a window, and who may know the position then is the
/// authorization's matter.
public final class CLBackgroundActivitySession: NSObject, Sendable {
    /// A session.
    public override init() {}

    /// Ends it.
    public func invalidate() {}
}
