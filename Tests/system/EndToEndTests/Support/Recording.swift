import Foundation
@_spi(Programs) import LocationKit
import ProgramTestSupport

/// The locations that a recording holds, in order.
func recordedLocations(in file: String) -> [Location] {
    struct Line: Decodable { let location: Location? }
    return text(of: file).split(separator: "\n").compactMap { line in
        (try? JSONDecoder().decode(Line.self, from: Data(line.utf8)))?.location
    }
}
