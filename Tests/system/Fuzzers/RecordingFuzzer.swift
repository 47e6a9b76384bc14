@_spi(Programs) import LocationModel

@testable import SimulatedSource

/// A recording, and a position written by hand. Without a header of its own the input gets one.
///
/// Rules: where a file was cut between two blocks makes no difference; an entry has numbers that can be, can be written
/// and then reads the same; it is never due before now; a written position lies within its ranges.
func fuzzRecording(_ input: [UInt8]) {
    let file = input.starts(with: header.prefix(9)) ? input : header + input
    let whole = outcomes(of: [file[...]])
    require(whole == outcomes(of: pieces(of: file)), "recording: what is read does not depend on the cuts")
    var pace = ReplayPace(speed: Double(input.last ?? 1))
    let now = BootInstant(seconds: 1000)
    for case .error in whole { Tally.count(.damages) }
    for case .entry(let entry) in whole {
        Tally.count(.entries)
        check(entry.content)
        require(pace.due(entry.at, now: now) >= BootInstant(seconds: 999), "recording: nothing is due in the past")
        checkRoundTrip(of: entry)
    }
    if let position = try? WrittenPosition(parsing: input) {
        Tally.count(.positions)
        require((0...100_000).contains(position.horizontalAccuracy ?? 0), "recording: an accuracy is within its range")
        require((-12_000...100_000).contains(position.altitude ?? 0), "recording: an altitude is within its range")
    }
}

private let header = Array((#"{"format":"locationd-recording","version":1}"# + "\n").utf8)

private enum Outcome: Equatable {
    case entry(RecordingEntry)
    case error(RecordingError)
    case end(isTruncated: Bool, RecordingHeader?)
}

private func outcomes(of pieces: [ArraySlice<UInt8>]) -> [Outcome] {
    var parser = RecordingParser()
    var outcomes: [Outcome] = []
    /// - Returns: false if reading has to end.
    func read(_ next: (inout RecordingParser) throws(RecordingError) -> RecordingEntry?) -> Bool {
        while true {
            do throws(RecordingError) {
                guard let entry = try next(&parser) else { return true }
                outcomes.append(.entry(entry))
            } catch {
                outcomes.append(.error(error))
                guard case .malformed = error else { return false }
            }
        }
    }
    for piece in pieces {
        parser.append(piece)
        guard read({ parser throws(RecordingError) in try parser.next() }) else { return outcomes }
    }
    guard read({ parser throws(RecordingError) in try parser.finish() }) else { return outcomes }
    return outcomes + [.end(isTruncated: parser.isTruncated, parser.header)]
}

private func check(_ content: RecordingEntry.Content) {
    switch content {
    case .location(let location): check(location, from: "recording")
    case .satellites(let satellites): check(satellites, from: "recording")
    case .heading(let heading): check(heading, from: "recording")
    case .status: break
    }
}

private func checkRoundTrip(of entry: RecordingEntry) {
    let writer = RecordingWriter()
    let line = require("recording: an entry can be written") { try writer.line(for: entry) }
    guard case .entry(let again)? = outcomes(of: [header[...], line[...]]).first else {
        return require(false, "recording: \(String(decoding: line, as: UTF8.self)) can be read")
    }
    let second = require("recording: an entry can be written again") { try writer.line(for: again) }
    require(line == second, "recording: \(entry) becomes \(again)")
}
