package import LocationModel

/// A way to write locations for other programs, record by record, as they come.
///
/// What is written is `opening`, then one ``record(for:)`` after the other in the order of the locations, then
/// `closing`: together they are a complete file. Every piece carries its own line ends, and may be empty.
package protocol LocationFormat: Sendable {
    /// What comes before the first record.
    var opening: String { get }

    /// The text for one location. A format may remember it, to write the next one accordingly.
    mutating func record(for location: Location) -> String

    /// What comes after the last record written so far.
    var closing: String { get }
}
