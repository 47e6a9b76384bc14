@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// Compass headings for a person to read.
enum HeadingText {
    /// One line for one heading.
    static func line(_ heading: Aged<Heading>, _ clock: LocalTime) -> String {
        let moment = MomentText(heading.value.timestamp, age: heading.age, clock).map {
            clock.words($0.moment, tenths: true) + ($0.isArrival ? " (arrival)" : "")
        }
        return [moment, "heading", words(heading.value)].compactMap(\.self).joined(separator: "  ")
    }

    /// The angles, without the time.
    static func words(_ heading: Heading) -> String {
        let angles = [
            ("true", heading.trueHeading), ("magnetic", heading.magneticHeading), ("pitch", heading.pitch),
            ("roll", heading.roll),
        ]
        return angles.compactMap { name, angle in angle.map { "\(name) \(Text.number($0, 1))°" } }
            .joined(separator: "  ")
    }
}
