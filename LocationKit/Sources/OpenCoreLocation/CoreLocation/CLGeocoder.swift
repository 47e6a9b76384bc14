public import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// Receives the placemarks, the best match first, or an error; one of both is `nil`.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Finds the name of a place, and the places of a name.
///
/// A geocoder answers one request at a time. Another request while ``isGeocoding`` is true fails with
/// `geocodeCanceled`, and the first goes on. Handlers are called on the main queue, each exactly once, even if the
/// geocoder is released meanwhile. Results are cached for positions within some 11 m.
///
/// The answers come from the service `locationd-places`; without it requests fail with `network`, and the error's
/// description says what to do.
// Unchecked: the class is open, and stores one constant of a Sendable type.
open class CLGeocoder: NSObject, @unchecked Sendable {
    private let geocoder: any ReverseGeocoding

    /// A geocoder with a cache of its own.
    public override init() {
        geocoder = GeocodingBackend.current.makeGeocoder()
    }

    /// True while a request is pending.
    open var isGeocoding: Bool { geocoder.isGeocoding }

    /// Ends the pending request, if there is one, with `geocodeCanceled`.
    open func cancelGeocode() {
        geocoder.cancelGeocode()
    }

    /// Finds the place at a location, in the language of the environment (`LC_ALL`, `LC_MESSAGES`, `LANG`).
    open func reverseGeocodeLocation(
        _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the place at a location.
    ///
    /// - Parameters:
    ///   - location: the location; an invalid coordinate gives `geocodeFoundNoResult`.
    ///   - locale: the language of the answer; `nil` for that of the environment.
    ///   - completionHandler: is called with the placemarks, the best match first, or with the error.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let handler = GeocodeHandler(completionHandler)
        guard let coordinate = location.coordinate.place else { return handler.complete(.failure(.noResult)) }
        geocoder.reverseGeocode(coordinate, locale: locale?.languageTag, completion: handler.complete)
    }

    /// Finds the place at a location, in the language of the environment.
    open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        try await reverseGeocodeLocation(location, preferredLocale: nil)
    }

    /// Finds the place at a location, in a language; `nil` for that of the environment.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        do throws(GeocodingError) {
            guard let coordinate = location.coordinate.place else { throw .noResult }
            let places = try await geocoder.reverseGeocode(coordinate, locale: locale?.languageTag)
            return places.map { CLPlacemark($0) }
        } catch {
            throw CLError(error)
        }
    }

    /// Finds the places with a name, which may have more of the address after commas.
    open func geocodeAddressString(
        _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        geocodeAddressString(addressString, in: nil, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// The same, where places in a region come first.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        geocodeAddressString(addressString, in: region, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// The same in a language; `nil` for that of the environment.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let handler = GeocodeHandler(completionHandler)
        let hint = RegionHint(region)
        geocoder.geocode(addressString, locale: locale?.languageTag, limit: hint.limit) { result in
            handler.complete(result.map { hint.sorted($0) })
        }
    }

    /// Finds the places with a name, which may have more of the address after commas.
    open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: nil, preferredLocale: nil)
    }

    /// The same, where places in a region come first.
    open func geocodeAddressString(_ addressString: String, in region: CLRegion?) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: region, preferredLocale: nil)
    }

    /// The same in a language; `nil` for that of the environment.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        let hint = RegionHint(region)
        do throws(GeocodingError) {
            let places = try await geocoder.geocode(addressString, locale: locale?.languageTag, limit: hint.limit)
            return hint.sorted(places).map { CLPlacemark($0) }
        } catch {
            throw CLError(error)
        }
    }
}

extension Locale {
    /// The language tag with what affects names: `de-CH`, without a calendar or currency.
    fileprivate var languageTag: String? {
        let subtags = identifier(.bcp47).split(separator: "-").prefix { $0.utf8.count > 1 }
        return subtags.isEmpty ? nil : subtags.joined(separator: "-")
    }
}

/// The region whose places come first.
struct RegionHint: Sendable {
    /// How many places a program receives.
    private static let tellable = 10

    private let circle: (middle: CLLocationCoordinate2D, radius: CLLocationDistance)?

    /// Only a circle has a position.
    init(_ region: CLRegion?) {
        circle = (region as? CLCircularRegion).map { ($0.center, $0.radius) }
    }

    /// How many places to request: those in the region may be far down the list.
    var limit: Int { circle == nil ? Self.tellable : 100 }

    /// The places in the region, then the others, each group in its order.
    func sorted(_ places: [Placemark]) -> [Placemark] {
        guard let circle else { return places }
        let isInside = { (place: Placemark) in
            circle.middle.distance(to: CLLocationCoordinate2D(place.coordinate)).map { $0 <= circle.radius } ?? false
        }
        return Array((places.filter(isInside) + places.filter { !isInside($0) }).prefix(Self.tellable))
    }
}

/// A program's completion handler, passed to the main queue.
///
/// Unchecked: the handler may be isolated to the thread that passed it. It is called once, on the main queue and
/// nowhere else, and the caller keeps no reference.
final class GeocodeHandler: @unchecked Sendable {
    private let handler: CLGeocodeCompletionHandler

    init(_ handler: @escaping CLGeocodeCompletionHandler) {
        self.handler = handler
    }

    func complete(_ result: Result<[Placemark], GeocodingError>) {
        DispatchQueue.main.async { [self] in
            switch result {
            case .success(let places): handler(places.map { CLPlacemark($0) }, nil)
            case .failure(let error): handler(nil, CLError(error))
            }
        }
    }
}
