/// Why a recording cannot be read or written. The description says what to do; it does not name the file.
package enum RecordingError: Error, Hashable {
    /// The file cannot be opened or read.
    case unreadable(String)
    /// It does not begin with a recording's header.
    case notARecording(String)
    /// A later version of the format than this program reads.
    case newerVersion(Int)
    /// A line is longer than any that a recording has; lines are counted from 1, the header's.
    case lineTooLong(line: Int)
    /// A line does not say what a recording's line says.
    case malformed(line: Int, String)
    /// It has no location, satellites or heading to play.
    case nothingToPlay
    /// A value that JSON cannot hold.
    case unwritable(String)
}

extension RecordingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let reason):
            "it cannot be read (\(reason)): check its path and its permissions"
        case .notARecording(let reason):
            "it is no recording (\(reason)): give a file that `locctl record` has written"
        case .newerVersion(let version):
            "it has version \(version) of the format and this program reads version \(RecordingHeader.currentVersion):"
                + " play it with a newer one"
        case .lineTooLong(let line):
            "line \(line) is longer than \(RecordingParser.lineLimit / 1024) KiB: remove it or record again"
        case .malformed(let line, let reason):
            "line \(line) cannot be understood (\(reason)): correct it or remove it"
        case .nothingToPlay:
            "it holds no location, satellites or heading: record again while there is a fix"
        case .unwritable(let reason):
            "it cannot be written (\(reason))"
        }
    }
}
