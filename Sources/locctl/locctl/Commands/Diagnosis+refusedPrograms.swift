@_spi(Programs) import LocationInterface

/// A program that the desktop has refused the position, because no desktop file of its id is installed.
struct RefusedProgram: Hashable {
    let desktopID, uid: String

    /// - Parameter line: of the journal of locationd-geoclue; `nil` if it is about something else.
    init?(_ line: String) {
        let (key, value) = DesktopID.missingFileMark
        guard let start = line.firstRange(of: " \(key)=\(value) program=\"\(DesktopID.labelPrefix)")?.upperBound,
            let end = line[start...].firstIndex(of: "\""),
            let field = line[end...].split(separator: " ").last, field.hasPrefix("uid=")
        else { return nil }
        (desktopID, uid) = (String(line[start..<end]), String(field.dropFirst("uid=".count)))
    }
}

extension Diagnosis {
    /// Names each program once that was refused for its missing desktop file.
    mutating func refusedPrograms(by lines: [String]) {
        for program in Set(lines.compactMap(RefusedProgram.init)).sorted(by: { $0.desktopID < $1.desktopID }) {
            let file = DesktopID.fileName(of: program.desktopID)
            note(
                "geoclue",
                "the desktop has refused “\(program.desktopID)” of uid:\(program.uid) within 24 hours: it has no desktop file",
                advice: file.map { "install /usr/local/share/applications/\($0); see locationd-bridge(8)" }
                    ?? "its DesktopId can be no file's name; the program has to set another")
        }
    }
}
