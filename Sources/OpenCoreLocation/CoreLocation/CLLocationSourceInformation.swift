public import Foundation

/// What a location comes from.
// Unchecked, for the class is open: what it stores is one constant of a Sendable type.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: CLLocationValues.Source

    /// A source that neither software simulates nor an accessory is.
    public override init() {
        values = CLLocationValues.Source(isSimulatedBySoftware: false, isProducedByAccessory: false)
    }

    /// A source by what it is.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        values = CLLocationValues.Source(isSimulatedBySoftware: isSoftware, isProducedByAccessory: isAccessory)
    }

    init(_ values: CLLocationValues.Source) {
        self.values = values
    }

    /// - Returns: `nil` if the archive holds none of this module.
    public required init?(coder: NSCoder) {
        guard let values = coder.decodeValues(CLLocationValues.Source.self) else { return nil }
        self.values = values
    }

    /// Archives both.
    open func encode(with coder: NSCoder) {
        coder.encode(values: values)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True if software invented the location or plays it back from a recording.
    open var isSimulatedBySoftware: Bool { values.isSimulatedBySoftware }

    /// False for every location of the service, which cannot tell receivers built in from others.
    open var isProducedByAccessory: Bool { values.isProducedByAccessory }
}
