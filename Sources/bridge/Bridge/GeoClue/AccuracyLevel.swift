/// The accuracy levels of GeoClue, as its properties have them.
enum AccuracyLevel {
    static let none: UInt32 = 0
    static let country: UInt32 = 1
    static let city: UInt32 = 4
    static let neighborhood: UInt32 = 5
    static let street: UInt32 = 6
    static let exact: UInt32 = 8

    /// The level that an agent is asked about, as GeoClue asks: one that it knows, and a country's at least. An agent
    /// that consents answers what it is asked.
    static func asked(_ level: UInt32) -> UInt32 {
        [exact, street, neighborhood, city].first { $0 <= level } ?? country
    }
}
