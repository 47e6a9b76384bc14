package import LocationModel

/// A position as an administrator writes it down: latitude, longitude, altitude and accuracy, one a line, the last two
/// as they are known. It is the format of GeoClue's /etc/geolocation, so that both can share a file.
///
/// Empty lines, and what follows `#`, count for nothing.
package struct WrittenPosition: Sendable, Equatable {
    package let coordinate: Coordinate
    /// Metres above mean sea level.
    package let altitude: Double?
    /// Metres; how far off the position may be.
    package let horizontalAccuracy: Double?

    /// What is wrong with the text. It names lines and never quotes them: it is told to who may not know the position.
    package struct Mistake: Error, Equatable {
        /// From 1; `nil` if something is missing.
        package let line: Int?
        package let problem: String
    }

    private enum Quantity: String, CaseIterable {
        case latitude, longitude, altitude, accuracy

        var range: ClosedRange<Double> {
            switch self {
            case .latitude: -90...90
            case .longitude: -180...180
            case .altitude: -12_000...100_000
            case .accuracy: 0...100_000
            }
        }

        var demand: String {
            let unit = self == .altitude || self == .accuracy ? "metres" : "degrees"
            return
                "the \(rawValue) is to be a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)) (\(unit))"
        }
    }

    package init(parsing text: [UInt8]) throws(Mistake) {
        var values: [Quantity: Double] = [:]
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            let content = line.prefix { $0 != UInt8(ascii: "#") }.drop(while: isBlank)
            guard !content.isEmpty else { continue }
            guard values.count < Quantity.allCases.count else {
                throw Mistake(line: index + 1, problem: "the accuracy is the last; remove what follows it")
            }
            let quantity = Quantity.allCases[values.count]
            let end = content.lastIndex { !isBlank($0) }.map(content.index(after:)) ?? content.endIndex
            guard let value = Self.number(content[..<end]), quantity.range.contains(value) else {
                throw Mistake(line: index + 1, problem: quantity.demand)
            }
            values[quantity] = value
        }
        guard let latitude = values[.latitude], let longitude = values[.longitude],
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else {
            let missing: Quantity = values[.latitude] == nil ? .latitude : .longitude
            throw Mistake(line: nil, problem: "the \(missing.rawValue) is missing; write one number a line")
        }
        self.coordinate = coordinate
        altitude = values[.altitude]
        horizontalAccuracy = values[.accuracy]
    }

    /// Digits, sign, point and exponent: neither hexadecimal numbers nor words that stand for one.
    private static func number(_ bytes: some Collection<UInt8>) -> Double? {
        guard bytes.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self))
    }
}
