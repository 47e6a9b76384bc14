import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@_spi(Programs) @testable import locationd

/// The file is read whatever is in it, and does not outgrow its size.
@Suite(.timeLimit(.minutes(10)))
struct AuditFileTests {
    private let directory: TemporaryFolder
    private let file: AuditFile
    private let now = UTCTime(seconds: 1_772_366_400)

    init() throws {
        directory = try TemporaryFolder()
        file = AuditFile(path: directory("history.jsonl"))
    }

    private func record(_ uid: Int, secondsAgo: Int64 = 0, purpose: String? = nil) -> AuditRecord {
        var record = AuditRecord(
            .delivered, principal: "uid:\(uid)", time: UTCTime(seconds: now.seconds - secondsAgo))
        record.uid = uid
        record.purpose = purpose
        return record
    }

    private func put(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: file.path))
    }

    private func put(_ records: [AuditRecord]) throws {
        try put(records.flatMap { ($0.line ?? []) + [0x0A] })
    }

    private func all() throws -> [AuditRecord] { try file.newest(.max, where: { _ in true }) }

    @Test func lineIsOneObjectThatReadsBack() throws {
        let record = record(1000, purpose: "two\nlines, a \"quote\" and \u{2028}")
        let line = try #require(record.line)
        #expect(!line.contains(0x0A) && line.first == UInt8(ascii: "{") && line.last == UInt8(ascii: "}"))
        #expect(AuditRecord(line: line) == record)
    }

    @Test func tooLongAPurposeIsLeftOutAndTooLongAPrincipalIsNoLine() throws {
        let record = record(1, purpose: String(repeating: "p", count: 9000))
        let kept = try #require(record.line.flatMap { AuditRecord(line: $0) })
        #expect(kept.purpose == nil && kept.principal == "uid:1")
        let principal = String(repeating: "u", count: 9000)
        #expect(AuditRecord(.delivered, principal: principal, time: now).line == nil)
    }

    @Test func missingFileHasNoRecords() throws {
        #expect(try all().isEmpty)
        #expect(try file.compact(to: AuditLimits(), at: now).isShortened == false)
    }

    @Test func newestAreFoundOldestFirst() throws {
        try put((1...9).map { record($0) })
        #expect(try file.newest(3, where: { _ in true }).compactMap(\.uid) == [7, 8, 9])
        #expect(try file.newest(2, where: { $0.uid != 8 }).compactMap(\.uid) == [7, 9])
        #expect(try file.newest(9, where: { _ in true }, until: { $0.uid == 5 }).compactMap(\.uid) == [6, 7, 8, 9])
    }

    @Test func linesAreFoundAcrossThePiecesTheyAreReadIn() throws {
        let records = (1...2000).map { record($0, purpose: String(repeating: "x", count: $0 % 250)) }
        try put(records)
        #expect(try all() == records)
    }

    @Test func whatIsNoRecordIsPassedOverAndCounted() throws {
        let good = [record(1), record(2), record(3)].map { $0.line ?? [] }
        let bad: [[UInt8]] = [
            Array(#"{"event":"delivered"}"#.utf8), Array("null".utf8), [0xFF, 0xFE], [0, 0, 0],
            Array(String(repeating: "[", count: 8000).utf8), Array(repeating: 0x41, count: 200_000),
            good[0] + good[1],
        ]
        try put([good[0], bad[0], bad[1], [], bad[2], good[1]].joined(separator: [0x0A]) + [0x0A])
        #expect(try all().compactMap(\.uid) == [1, 2])
        try put((bad + [good[0]] + bad + [good[1], good[2]]).joined(separator: [0x0A]) + [0x0A])
        #expect(try all().compactMap(\.uid) == [1, 2, 3])
        #expect(try file.compact(to: AuditLimits(), at: now).unreadable == 2 * bad.count)
        try put(Array(repeating: 0x41, count: 200_000))
        #expect(try all().isEmpty)
    }

    @Test func recordOfALaterVersionIsRead() throws {
        try put(Array(#"{"event":"forwarded","principal":"uid:1","time":"2026-03-01T12:00:00.000Z","to":[1]}"#.utf8))
        #expect(try all().map(\.event) == [.unknown])
    }

    @Test func hundredMebibytesTakeLittleMemory() throws {
        // A hole at the beginning, which reads as one endless line of zeros.
        try put([UInt8]())
        #expect(truncate(file.path, 100 << 20) == 0)
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0x0A] + (record(1).line ?? []) + [0x0A] + (record(2).line ?? []) + [0x0A]))
        try handle.close()
        let before = try residentPeak()
        #expect(try file.newest(5, where: { _ in true }).compactMap(\.uid) == [1, 2])
        let findings = try file.compact(to: AuditLimits(), at: now)
        #expect(findings.isShortened && findings.unreadable == 1)
        // Other tests of the process run meanwhile.
        #expect(try residentPeak() - before < 64 << 20)
        #expect(try all().compactMap(\.uid) == [1, 2])
    }

    /// Of a file that is longer than the audit may be, its end alone is read, whatever is before.
    @Test func endAloneOfAGiganticFileIsRead() throws {
        try put([UInt8]())
        #expect(truncate(file.path, 1 << 40) == 0, "a hole of 1 TiB")
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0x0A] + (record(1).line ?? []) + [0x0A] + (record(2).line ?? []) + [0x0A]))
        try handle.close()
        var log = AuditLog(file: file, limits: AuditLimits())
        #expect(try log.recentRecords(at: now, limit: 100).compactMap(\.uid) == [1, 2])
        #expect(try log.records(of: nil, limit: 100).compactMap(\.uid) == [1, 2])
        try log.write(at: now)
        #expect(log.unreadable == 1)
        #expect(try all().compactMap(\.uid) == [1, 2])
        #expect(try Data(contentsOf: URL(filePath: file.path)).count < 1024)
    }

    /// A line that begins before what is read is no damaged one.
    @Test func lineThatIsCutOffIsNotCounted() throws {
        try put((1...500).map { record($0) })
        let limits = AuditLimits(size: 16_384)
        let findings = try file.compact(to: limits, at: now)
        #expect(findings.isShortened && findings.unreadable == 0)
        #expect(try all().last?.uid == 500)
    }

    @Test func overfullFileKeepsItsNewestThreeQuarters() throws {
        let records = (1...500).map { record($0) }
        try put(records)
        let limits = AuditLimits(size: 16_384)
        #expect(try file.compact(to: limits, at: now).isShortened)
        let kept = try all()
        #expect(kept == Array(records.suffix(kept.count)))
        let length = try Data(contentsOf: URL(filePath: file.path)).count
        let line = try #require(record(100).line).count + 1
        #expect(length <= 12_288 && length > 12_288 - line)
        #expect(try directory.mode(of: "history.jsonl") == 0o600)
        #expect(try directory.names == ["history.jsonl"])
        #expect(try file.compact(to: limits, at: now).isShortened == false, "there is room now")
    }

    @Test func roomIsMadeForTheLongestLine() throws {
        try put((1...500).map { record($0) })
        let limits = AuditLimits(size: 0)
        let room = AuditRecord.longestLine + 2
        try file.compact(to: limits, room: room, at: now)
        #expect(try Data(contentsOf: URL(filePath: file.path)).count + room <= limits.size)
        #expect(try all().last?.uid == 500)
    }

    @Test func oldRecordsGoAndLinesOfOthersStayAsTheyWere() throws {
        let future = #"{"event":"delivered","extra":1,"principal":"uid:3","time":"2026-02-27T12:00:00Z"}"#
        let lines = [record(1, secondsAgo: 90 * 86_400), record(2, secondsAgo: 86_400)].map { $0.line ?? [] }
        try put((lines + [Array(future.utf8)]).joined(separator: [0x0A]) + [0x0A])
        #expect(try file.compact(to: AuditLimits(), at: now).isShortened)
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(text.split(separator: "\n").map(String.init) == [String(decoding: lines[1], as: UTF8.self), future])
    }

    @Test func directoryInItsPlaceIsTold() throws {
        try directory.makeFolder("history.jsonl")
        let failure = #expect(throws: AuditFailure.self) { try all() }
        #expect(failure?.description == "cannot read \(file.path): it is not a regular file")
    }

    private func residentPeak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: "\t", maxSplits: 1)[1].split(separator: " ")[0])) << 10
    }
}
