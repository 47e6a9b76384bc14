/// The accuracy levels of GeoClue, as its properties have them.
enum AccuracyLevel {
    static let none: UInt32 = 0
    static let city: UInt32 = 4
    static let street: UInt32 = 6
    static let exact: UInt32 = 8
}
