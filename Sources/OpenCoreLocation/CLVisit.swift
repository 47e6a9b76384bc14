public import Foundation

/// A stay at a place. The service tells no visits; it is there for source that handles them.
// Unchecked, for the class is open: it stores nothing.
open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// A visit of which nothing is known, for subclasses that say something.
    public override init() {}

    /// A visit of which nothing is known.
    public required init?(coder: NSCoder) {}

    /// Archives nothing.
    open func encode(with coder: NSCoder) {}

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Where; invalid if not known.
    open var coordinate: CLLocationCoordinate2D { kCLLocationCoordinate2DInvalid }
    /// Metres by which the place may be wrong; negative if not known.
    open var horizontalAccuracy: CLLocationAccuracy { -1 }
    /// When it began; the distant past if not known.
    open var arrivalDate: Date { .distantPast }
    /// When it ended; the distant future if it has not.
    open var departureDate: Date { .distantFuture }
}
