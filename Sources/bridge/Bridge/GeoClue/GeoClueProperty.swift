import DBus

/// A property as it is now.
struct GeoClueProperty {
    let value: BusValue
    let isWritable: Bool

    init(_ value: BusValue, isWritable: Bool = false) {
        self.value = value
        self.isWritable = isWritable
    }
}
