public import Foundation

/// The floor of a building. No location of the service has one; it is there for source that asks.
// Unchecked, for the class is open: what it stores is one constant number.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// 0 is the ground floor.
    private let number: Int

    /// The ground floor.
    public override init() {
        number = 0
    }

    /// - Returns: `nil` if the archive holds none of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues([Int].self), let number = values.first else { return nil }
        self.number = number
    }

    /// Archives the floor.
    open func encode(with coder: NSCoder) {
        coder.encode(values: [number])
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Floors above the ground floor, negative below.
    open var level: Int { number }
}
