package import LocationKit

/// What the geocoders of this module ask: the service, unless a test says otherwise.
package struct GeocodingBackend: Sendable {
    /// A geocoder of LocationKit for each new one of this module.
    package let makeGeocoder: @Sendable () -> any ReverseGeocoding

    package init(makeGeocoder: @escaping @Sendable () -> any ReverseGeocoding) {
        self.makeGeocoder = makeGeocoder
    }

    /// The backend of what is made within the scope of this value.
    @TaskLocal package static var current = GeocodingBackend { ReverseGeocoder() }
}
