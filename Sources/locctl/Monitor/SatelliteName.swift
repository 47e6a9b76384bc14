import LocationKit

extension Satellite {
    /// The letter of its system, as RINEX 3 has it; what RINEX does not name is `X`.
    var systemLetter: String {
        switch gnss {
        case "GPS": "G"
        case "GLONASS": "R"
        case "Galileo": "E"
        case "BeiDou": "C"
        case "QZSS": "J"
        case "NavIC": "I"
        case "SBAS": "S"
        default: "X"
        }
    }

    /// Such as `G12`; in small letters where it does not go into the fix, so that no colour is needed to tell.
    var shortName: String {
        (used ? systemLetter : systemLetter.lowercased()) + "\(id)"
    }
}
