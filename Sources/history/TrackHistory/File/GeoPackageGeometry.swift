import FoundationEssentials
@_spi(Programs) import LocationModel

/// Geometries as a GeoPackage stores them: a header of eight bytes and well-known binary.
///
/// Source: OGC 12-128r18, GeoPackage Encoding Standard 1.3, clause 2.1.3.
enum GeoPackageGeometry {
    /// EPSG's number of WGS 84.
    static let referenceSystem: Int32 = 4326

    static func point(_ coordinate: Coordinate) -> Data {
        var data = beginning(of: 1)
        append(coordinate, to: &data)
        return data
    }

    static func line(_ coordinates: [Coordinate]) -> Data {
        var data = beginning(of: 2)
        append(UInt32(coordinates.count), to: &data)
        for coordinate in coordinates { append(coordinate, to: &data) }
        return data
    }

    /// - Returns: the position of a point; `nil` if the data are not a point as this type writes it.
    static func coordinate(of data: Data) -> Coordinate? {
        let bytes = Array(data)
        let wanted = Array(beginning(of: 1))
        guard bytes.count == wanted.count + 16, bytes.starts(with: wanted) else { return nil }
        func number(at index: Int) -> Double {
            let pattern = bytes[index..<index + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Double(bitPattern: pattern)
        }
        return Coordinate(latitude: number(at: wanted.count + 8), longitude: number(at: wanted.count))
    }

    /// The header without an envelope, little-endian, and the kind of geometry.
    private static func beginning(of kind: UInt32) -> Data {
        var data = Data([0x47, 0x50, 0, 1])
        append(UInt32(bitPattern: referenceSystem), to: &data)
        data.append(1)
        append(kind, to: &data)
        return data
    }

    /// Longitude first, as in every GeoPackage.
    private static func append(_ coordinate: Coordinate, to data: inout Data) {
        for number in [coordinate.longitude, coordinate.latitude] {
            withUnsafeBytes(of: number.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
    }

    private static func append(_ number: UInt32, to data: inout Data) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
}
