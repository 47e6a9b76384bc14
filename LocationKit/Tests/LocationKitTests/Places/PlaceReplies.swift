import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Testing

/// Replies of the places service, as text.
enum PlaceReplies {
    static let zürich =
        #"{"latitude":47.36667,"longitude":8.55,"name":"Zürich","locality":"Zürich","administrativeArea":"Zürich","#
        + #""country":"Switzerland","countryCode":"CH","timeZone":"Europe/Zurich","distance":1200,"#
        + #""attribution":"GeoNames"}"#

    static func places(_ places: String...) -> String {
        "{\"parameters\":{\"placemarks\":[\(places.joined(separator: ","))]}}"
    }

    static func error(_ name: String, _ parameters: String = "{}") -> String {
        "{\"error\":\"org.locationd.places.\(name)\",\"parameters\":\(parameters)}"
    }

    /// The reply that makes a geocoder deliver the result; `nil` for a result that no reply leads to.
    static func text(of result: Result<[Placemark], GeocodingError>) throws -> String? {
        switch result {
        case .success(let placemarks): places(try placemarks.map(json).joined(separator: ","))
        case .failure(.noResult): error("NoResult")
        case .failure(.cancelled): error("Cancelled")
        case .failure(.partialResult(let placemarks)):
            error("PartialResult", #"{"placemarks":[\#(try placemarks.map(json).joined(separator: ","))]}"#)
        case .failure(.network(let reason)): error("Network", #"{"reason":"\#(reason)"}"#)
        case .failure(.busy(let limit)): error("Busy", #"{"limit":\#(limit)}"#)
        default: nil
        }
    }

    private static func json(_ placemark: Placemark) throws -> String {
        String(decoding: try JSONEncoder().encode(placemark), as: UTF8.self)
    }
}

extension Placemark {
    /// A town of which little is known.
    static func town(_ name: String, latitude: Double = 47, longitude: Double = 8) throws -> Placemark {
        var place = Placemark(coordinate: try .at(latitude, longitude))
        place.name = name
        place.locality = name
        return place
    }
}

extension Coordinate {
    static func at(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }
}
