internal import GRDB
@_spi(Programs) internal import LocationModel
import SQLiteRows

/// A place in the database.
struct Place {
    let name: String
    let coordinate: Coordinate
    /// ISO 3166-1 alpha-2.
    let country: String
    /// The state or province, in English or the country's language.
    let administrativeArea: String?
    /// An IANA time zone.
    let timeZone: String

    /// The columns that ``init(_:)`` reads.
    static let columns = """
        places.name, south, west, places.country, \
        (SELECT areas.name FROM areas WHERE areas.id = area), (SELECT zones.name FROM zones WHERE zones.id = zone)
        """

    init(_ row: Row) throws {
        name = try row.text(0)
        coordinate = try Coordinate(south: row.integer(1), west: row.integer(2))
        country = try row.text(3)
        administrativeArea = row.optionalText(4)
        timeZone = try row.text(5)
    }

    init(id: Int64, in access: PlacesDatabase.Access) throws {
        let statement = try access.database.cachedStatement(sql: "SELECT \(Self.columns) FROM places WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [id]) else {
            throw Unusable("is damaged: a place is missing")
        }
        try self.init(row)
    }

    /// The placemark of the place, as an answer to its name.
    func placemark(locale: String?, in access: PlacesDatabase.Access) throws -> Placemark {
        var placemark = Placemark(coordinate: coordinate)
        placemark.name = name
        placemark.locality = name
        placemark.administrativeArea = administrativeArea
        placemark.countryCode = country
        placemark.country = try CountryName.of(country, locale: locale, in: access)
        placemark.timeZone = timeZone
        placemark.attribution = access.fixed.attribution
        return placemark
    }
}
