import FoundationEssentials
import Glibc
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// The polygons of a GeoJSON file (RFC 7946).
enum RegionFile {
    private struct Object: Decodable {
        let type: String
        let features: [Object]?
        let geometry: Geometry?
        let id: Name?
        let properties: Properties?
        let coordinates: Rings?
    }

    private struct Geometry: Decodable {
        let type: String
        let coordinates: Rings?
    }

    private struct Properties: Decodable { let name: Name? }

    /// A string or a number.
    private struct Name: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = (try? container.decode(String.self)) ?? (try? container.decode(Double.self)).map { "\($0)" }
        }
    }

    /// The rings of a polygon; `nil` for other geometries, whose arrays have another depth.
    private struct Rings: Decodable {
        let rings: [[[Double]]]?

        init(from decoder: any Decoder) throws {
            rings = try? decoder.singleValueContainer().decode([[[Double]]].self)
        }
    }

    /// - Parameter dwell: seconds, for each region.
    /// - Throws: what in the file cannot be monitored, and what to do.
    static func regions(at path: String, dwell: Double?) throws -> [Region] {
        let object: Object
        do {
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw Failure(
                    code: ExitCodes.failed, message: "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            object = try JSONDecoder().decode(Object.self, from: bytes)
        } catch is DecodingError {
            throw Failure(
                code: ExitCodes.usage,
                message: "\(path) is not valid GeoJSON; use a Polygon, or Features that are Polygons")
        }
        let features = object.features ?? [object]
        guard !features.isEmpty else { throw Failure(code: ExitCodes.usage, message: "\(path) holds no polygon") }
        var names: Set<String> = []
        return try features.enumerated().map { index, feature in
            let name = feature.id?.text ?? feature.properties?.name?.text ?? "polygon \(index + 1)"
            func wrong(_ reason: String) -> Failure {
                Failure(code: ExitCodes.usage, message: "\(path): feature \(index + 1) (\(name)) \(reason)")
            }
            guard names.insert(name).inserted else { throw wrong("has the name of another one; names must be unique") }
            let type = feature.geometry?.type ?? feature.type
            guard type == "Polygon" else { throw wrong("is a \(type); only Polygon can be monitored") }
            guard let rings = feature.geometry?.coordinates?.rings ?? feature.coordinates?.rings, let ring = rings.first
            else { throw wrong("has no corners") }
            guard rings.count == 1 else { throw wrong("has holes, which cannot be monitored; leave them out") }
            let corners = ring.compactMap { $0.count >= 2 ? Coordinate(latitude: $0[1], longitude: $0[0]) : nil }
            guard corners.count == ring.count else {
                throw wrong("has a corner that is not a longitude and a latitude")
            }
            do throws(InvalidField) {
                let polygon = try RegionPolygon(corners: corners)
                return try Region(identifier: name.escapingUnprintable(), shape: .polygon(polygon), dwell: dwell)
            } catch {
                throw wrong("cannot be monitored: \(error)")
            }
        }
    }
}
