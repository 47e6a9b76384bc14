@_spi(Programs) package import LocationKit
@_spi(Programs) import LocationModel
package import TestSupport

extension ValueRecorder {
    /// An observer that records what it receives.
    package func observer(on delivery: Delivery? = nil) -> Observer<Value> {
        Observer(on: delivery) { [self] in append($0) }
    }
}

extension ValueRecorder where Value == Location {
    /// The latitudes, by which the tests tell the locations apart.
    package var latitudes: [Double] { values.map(\.coordinate.latitude) }
}
