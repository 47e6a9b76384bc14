import CLinux

/// Decides which lines libgps may see.
///
/// `gps_unpack` loops for ever on some well-formed JSON whose `class` is not the first key, stands behind a blank or is
/// reached through a wrong type. It never did on lines that are one strict JSON object beginning exactly as gpsd
/// writes it, with no other `class` at any depth: those pass, everything else is counted and dropped.
enum MessageGate {
    enum Passage: Equatable {
        /// For libgps to decode.
        case report(ReportClass, JSONScanner.Facts)
        /// For our own decoder to decode.
        case control(String)
        /// A class that is not used.
        case ignored
        case rejected(Rejection)
    }

    enum ReportClass: String {
        case position = "TPV"
        case sky = "SKY"
        case attitude = "ATT"
        case errors = "GST"
    }

    enum Rejection: String {
        /// Does not begin like a line of gpsd.
        case garbage
        /// Begins like a line of gpsd but is not strict JSON, or has a second class anywhere.
        case malformed
    }

    private static let opening = Array(#"{"class":""#.utf8)

    static func passage(for line: [UInt8]) -> Passage {
        guard line.starts(with: opening), !contains(zero, in: line[...]),
            let quote = line[opening.count...].firstIndex(of: UInt8(ascii: "\""))
        else { return .rejected(.garbage) }
        let name = String(decoding: line[opening.count..<quote], as: UTF8.self)
        switch name {
        case "TPV", "SKY", "ATT", "GST":
            // A line that ends right after the class contains nothing, and is not how gpsd begins one.
            guard line.count > quote + 1, line[quote + 1] == UInt8(ascii: ","),
                let report = ReportClass(rawValue: name),
                !contains(classKey, in: line[(quote + 1)...]), let facts = JSONScanner.facts(of: line),
                facts.classKeys == 1
            else { return .rejected(.malformed) }
            return .report(report, facts)
        case "VERSION", "DEVICES", "DEVICE", "WATCH", "ERROR":
            return .control(name)
        default:
            return .ignored
        }
    }

    /// libgps searches the text for this, whatever the context, and continues from there when its parse of an object
    /// has ended early: for ever, if that leads it there again.
    private static let classKey: StaticString = #""class":"#
    private static let zero: StaticString = "\0"

    private static func contains(_ wanted: StaticString, in text: ArraySlice<UInt8>) -> Bool {
        text.withUnsafeBytes {
            clinux_find($0.baseAddress, $0.count, wanted.utf8Start, wanted.utf8CodeUnitCount) != nil
        }
    }
}
