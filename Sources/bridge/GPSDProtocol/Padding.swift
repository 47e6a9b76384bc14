/// Lengths that say nothing. The kernel tells every user how many bytes each TCP connection of the machine has received
/// (inet_diag), so the length of a report would show the digits of course and speed, and how many satellites are in
/// view. Unix sockets show no lengths, and their reports are not padded.
///
/// JSON is padded with blanks before the last brace: Python's library leaves out lines that do not end in `}` and CR
/// LF. A sentence of NMEA may have nothing after its checksum, so proprietary sentences without content follow, which
/// readers ignore as they ignore those of receivers' makers.
///
/// What remains: a fix with more than some 20 satellites in view has the next larger length, and so has each further
/// 25, and sentences of more than some 55; and whether there are satellites at all.
enum Padding {
    /// Any TPV is of this length but for what no receiver sends; some clients leave out lines of more than 1600 bytes.
    private static let positionUnit = 1024
    /// The length of a SKY. cgps 3.22 ends with a segmentation fault at a line that is longer than its terminal has
    /// places, 1920 where that has 24 lines of 80.
    private static let skyUnit = 1792
    /// The length of an answer to a poll, in which both are.
    private static let pollUnit = 4096
    /// The length of the sentences of one fix, or of one view of the sky: 55 satellites in view are some 950 bytes.
    private static let sentenceUnit = 1024
    /// Of answers that depend on no position.
    private static let unit = 256

    static func position(_ line: [UInt8]) -> [UInt8] {
        pad(line, to: roundedUp(line.count, positionUnit))
    }

    static func sky(_ line: [UInt8]) -> [UInt8] {
        pad(line, to: roundedUp(line.count, skyUnit))
    }

    /// The answer to `?POLL;`.
    static func poll(_ line: [UInt8]) -> [UInt8] {
        pad(line, to: min(roundedUp(line.count, pollUnit), GPSDReply.longestLine))
    }

    /// An answer of any number of lines.
    static func answer(_ lines: [UInt8]) -> [UInt8] {
        pad(lines, to: roundedUp(lines.count, unit))
    }

    private static func roundedUp(_ count: Int, _ unit: Int) -> Int {
        (count + unit - 1) / unit * unit
    }

    /// Adds blanks to the last object.
    private static func pad(_ lines: [UInt8], to length: Int) -> [UInt8] {
        // Its brace, CR LF.
        let end = 3
        guard lines.count >= end, lines.count < length else { return lines }
        var padded: [UInt8] = []
        padded.reserveCapacity(length)
        padded.append(contentsOf: lines.dropLast(end))
        padded.append(contentsOf: repeatElement(UInt8(ascii: " "), count: length - lines.count))
        padded.append(contentsOf: lines.suffix(end))
        return padded
    }

    // MARK: NMEA 0183

    /// NMEA's limit, with CR LF.
    private static let longestSentence = 82
    /// A proprietary sentence without content, but for its checksum, CR LF and what fills it.
    private static let emptySentence = "PLOCD,"
    /// `$`, ``emptySentence``, `*`, two digits, CR LF.
    private static let shortestSentence = emptySentence.utf8.count + 6

    /// Adds sentences without content.
    static func sentences(_ sentences: [UInt8]) -> [UInt8] {
        guard !sentences.isEmpty else { return [] }
        var missing = roundedUp(sentences.count, sentenceUnit) - sentences.count
        if missing == 0 { return sentences }
        if missing < shortestSentence { missing += sentenceUnit }
        var padded = sentences
        var parts = (missing + longestSentence - 1) / longestSentence
        while parts > 0 {
            let length = missing / parts
            padded += emptySentence(length: length)
            missing -= length
            parts -= 1
        }
        return padded
    }

    private static func emptySentence(length: Int) -> [UInt8] {
        let body = Array(emptySentence.utf8) + repeatElement(UInt8(ascii: "0"), count: length - shortestSentence)
        let checksum = String(body.reduce(0, ^), radix: 16, uppercase: true)
        return [UInt8(ascii: "$")] + body + Array("*\(checksum.utf8.count < 2 ? "0" : "")\(checksum)\r\n".utf8)
    }
}
