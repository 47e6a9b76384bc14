import Foundation
@_spi(Programs) import LocationModel
import Testing

@testable import Authorization

/// What is written is read again; anything else is refused, and never read as something other than was decided.
struct DecisionTableCodingTests {
    @Test func everythingIsReadBack() throws {
        for table in [DecisionTable(), sampleTable] {
            let bytes = try table.encoded()
            #expect(try DecisionTable(decoding: bytes) == table)
            #expect(try DecisionTable(decoding: bytes).encoded() == bytes, "one table has one form")
        }
    }

    @Test func accountIsKept() throws {
        var named = decision(.authorizedAlways)
        named.account = "alice"
        let table = DecisionTable(entries: [.uid(7): DecisionEntry(decision: named)])
        #expect(try DecisionTable(decoding: table.encoded()).entries[.uid(7)]?.decision?.account == "alice")
    }

    @Test func transientDenialIsNotInTheFile() throws {
        var denial = Decision(.denied, by: DecisionEntry.user(70_000), time: time())
        denial.isTransient = true
        var table = DecisionTable(entries: [.uid(7): DecisionEntry(decision: decision(.denied))])
        let before = table
        table.decide(denial, about: .uid(70_000))
        #expect(table.entries[.uid(70_000)]?.effective?.answer == .denied)
        #expect(try table.encoded() == before.encoded())
        #expect(!table.revokes(before), "a full disk's reserve is for what is written")
        // What an administrator decides for a while over it is written.
        table.decide(
            decision(.authorizedAlways), about: .uid(70_000),
            for: Term(duration: 60, at: Term.Moment(now: BootInstant(nanoseconds: 0), utc: time())))
        let read = try #require(DecisionTable(decoding: table.encoded()).entries[.uid(70_000)])
        #expect(read.effective?.answer == .authorizedAlways && read.decision == nil)
    }

    /// Else who asked within the millisecond of the decision would wait for another before a restart, and not after it.
    @Test func timesWrittenByHandCountToTheMillisecond() throws {
        let content =
            #""entries":{"uid:7":{"decision":{"accuracy":"full","answer":"authorizedWhenInUse","by":"uid:0","#
            + #""time":"2026-09-21T14:13:20.250Z"},"request":{"level":"always","time":"2026-09-21T14:13:20.2501Z"}}},"#
            + #""version":1}"#
        let table = try DecisionTable(decoding: DecisionTable.sealed(Array(content.utf8)))
        #expect(try DecisionTable(decoding: table.encoded()) == table)
        #expect(table.entries[.uid(7)]?.isPending == false)
    }

    @Test func formOnTheDisk() throws {
        let table = DecisionTable(entries: [
            .uid(7): DecisionEntry(request: request(.whenInUse, "a/b"), decision: decision(.denied, .reduced))
        ])
        #expect(
            try String(decoding: table.encoded().dropFirst(23), as: UTF8.self)
                == #""entries":{"uid:7":{"decision":{"accuracy":"reduced","answer":"denied","by":"uid:0","#
                + #""time":"2026-09-21T14:13:20.000Z"},"request":{"level":"whenInUse","purpose":"a/b","#
                + #""time":"2026-09-21T14:13:20.000Z"}}},"version":1}"#)
        let object = try JSONSerialization.jsonObject(with: Data(table.encoded())) as? [String: Any]
        #expect((object?["checksum"] as? String)?.count == 8, "the whole is JSON")
    }

    @Test func checksumIsTheOneOfTheStandard() {
        // RFC 3720, appendix B.4; the first is the check value of the catalogue of CRC algorithms.
        #expect(Checksum.crc32c("123456789".utf8) == 0xE306_9283)
        #expect(Checksum.crc32c(Array(repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(Checksum.crc32c(Array(repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(Checksum.crc32c(UInt8(0)...31) == 0x46DD_794E)
        #expect(Checksum.text(of: []) == "00000000")
    }

    @Test func noFlippedBitIsReadAsSomethingElse() throws {
        var bytes = try sampleTable.encoded()
        var refused = 0
        for index in bytes.indices {
            for bit in 0..<8 {
                bytes[index] ^= 1 << bit
                defer { bytes[index] ^= 1 << bit }
                guard let table = try? DecisionTable(decoding: bytes) else {
                    refused += 1
                    continue
                }
                #expect(table == sampleTable, "bit \(bit) of byte \(index)")
            }
        }
        #expect(refused > bytes.count * 7)
    }

    @Test func noPartIsReadAsTheWhole() throws {
        let bytes = try sampleTable.encoded()
        for count in 0..<bytes.count {
            #expect(throws: DecisionTable.CodingFailure.self) {
                try DecisionTable(decoding: Array(bytes.prefix(count)))
            }
            let zeros = bytes.prefix(count) + Array(repeating: 0, count: bytes.count - count)
            #expect(throws: DecisionTable.CodingFailure.self) { try DecisionTable(decoding: Array(zeros)) }
        }
        for more in ["\n", " ", "\0", "{}"] {
            #expect(throws: DecisionTable.CodingFailure.self) { try DecisionTable(decoding: bytes + more.utf8) }
        }
    }

    private static let whole = #"{"answer":"denied","accuracy":"full","by":"uid:0","time":"2026-09-21T14:13:20.000Z"}"#

    private func failure(_ content: String) -> String? {
        let failure = #expect(throws: DecisionTable.CodingFailure.self, "\(content)") {
            try DecisionTable(decoding: DecisionTable.sealed(Array(content.utf8)))
        }
        return failure?.description
    }

    @Test func sealedSampleIsRead() throws {
        let content = #""version":1,"entries":{"uid:1":{"decision":\#(Self.whole)}}}"#
        let table = try DecisionTable(decoding: DecisionTable.sealed(Array(content.utf8)))
        #expect(table.entries == [.uid(1): DecisionEntry(decision: decision(.denied))])
    }

    @Test(arguments: [
        (#""entries":{},"version":2}"#, "it is of a later locationd"),
        (#""entries":[],"version":0}"#, "it is of a later locationd"),
        (#""entries":{}}"#, "`version` is missing"),
        (#""version":1}"#, "`entries` is missing"),
        (#""version":"1","entries":{}}"#, "`version` is invalid"),
        (#""version":1,"entries":[]}"#, "`entries` is invalid"),
        (#""version":1,"entries":{},"more":1}"#, "`unknown member` is invalid"),
        (#""version":1,"entries":{"#, "it is not JSON"),
        (#""version":1,"entries":{}}}"#, "it is not JSON"),
        ("", "it is not JSON"),
    ])
    func wrongFileIsRefused(content: String, words: String) {
        #expect(failure(content) == words)
    }

    @Test(arguments: ["uid:-1", "uid:65534", "uid:4294967295", "uid:007", "uid:", "", "user:me", "unit:a", "0"])
    func impossibleSubjectIsRefused(text: String) {
        #expect(
            failure(#""version":1,"entries":{"\#(text)":{"decision":\#(Self.whole)}}}"#)
                == "an entry is about neither uid:N nor unit:NAME.service")
    }

    @Test(arguments: [
        ("{}", "an entry is empty"), ("null", "an entry is invalid"),
        ("[]", "an entry is invalid"),
        (#"{"decision":null}"#, "`decision` is invalid"),
        (#"{"decisiom":{}}"#, "`unknown member` is invalid"),
        (#"{"decision":{"answer":"denied"}}"#, "`accuracy` is missing"),
        (#"{"request":{"level":"sometimes","time":"2026-09-21T14:13:20.000Z"}}"#, "`level` is invalid"),
        (#"{"request":{"level":"always"}}"#, "`time` is missing"),
        (
            #"{"request":{"level":"always","time":"2026-09-21T14:13:20.000Z","for":1}}"#,
            "`unknown member` is invalid"
        ),
    ])
    func wrongEntryIsRefused(entry: String, words: String) {
        #expect(failure(#""version":1,"entries":{"uid:1":\#(entry)}}"#) == words)
    }

    @Test(arguments: [
        (#""denied""#, #""allowed""#, "`answer` is invalid"),
        (#""denied""#, "true", "`answer` is invalid"),
        (#""full""#, #""unknown""#, "a decision has an unknown accuracy"),
        (#""full""#, #""finer""#, "a decision has an unknown accuracy"),
        (#""full""#, "null", "`accuracy` is invalid"),
        (#""2026-09-21T14:13:20.000Z""#, #""2026-02-30T14:13:20.000Z""#, "`time` is invalid"),
        (#""2026-09-21T14:13:20.000Z""#, "1790000000", "`time` is invalid"),
        (#""by""#, #""until":1,"by""#, "`unknown member` is invalid"),
    ])
    func wrongDecisionIsRefused(part: String, replacement: String, words: String) {
        let decision = Self.whole.replacingOccurrences(of: part, with: replacement)
        #expect(failure(#""version":1,"entries":{"uid:1":{"decision":\#(decision)}}}"#) == words)
    }

    @Test func emptyAndEndlessFilesAreRefused() {
        #expect(throws: DecisionTable.CodingFailure(description: "the file is empty")) {
            try DecisionTable(decoding: [])
        }
        #expect(throws: DecisionTable.CodingFailure(description: "the file is longer than 1048576 bytes")) {
            try DecisionTable(decoding: Array(repeating: 0x20, count: DecisionTable.byteLimit + 1))
        }
    }

    @Test func writerRefusesWhatCouldNotBeReadAgain() {
        func entry(_ decision: Decision) -> DecisionEntry { DecisionEntry(decision: decision) }
        let tables: [[Subject: DecisionEntry]] = [
            [.uid(65_534): entry(decision(.denied))], [.unit("a b"): entry(decision(.denied))],
            [.uid(1): entry(decision(.denied, .unknown))], [.uid(1): DecisionEntry()],
            [.uid(1): entry(Decision(.denied, by: "uid:0", time: UTCTime(seconds: .max)))],
        ]
        for entries in tables {
            #expect(throws: DecisionTable.CodingFailure.self, "\(entries)") {
                try DecisionTable(entries: entries).encoded()
            }
        }
    }

    @Test func writerRefusesToGrowBeyondWhatIsRead() throws {
        func table(_ bytes: Int) -> DecisionTable {
            DecisionTable(entries: [
                .uid(1): DecisionEntry(request: request(.always, String(repeating: "x", count: bytes)))
            ])
        }
        let room = try DecisionTable.byteLimit - table(0).encoded().count
        #expect(try DecisionTable(decoding: table(room).encoded()) == table(room))
        let failure = #expect(throws: DecisionTable.CodingFailure.self) { try table(room + 1).encoded() }
        #expect(
            failure?.description == "they would need 1048577 of 1048576 bytes; "
                + "`locctl reset-authorization` makes room")
    }

    @Test func fullTableOfRequestsFits() throws {
        var table = DecisionTable()
        let purpose = String(repeating: #"\u{7f}"#, count: 64)
        for uid in 0..<UInt32(DecisionTable.undecidedLimit) {
            #expect(table.record(request(.always, purpose), of: .uid(1_000_000_000 + uid << 16)) == .changed)
        }
        #expect(try DecisionTable(decoding: table.encoded()) == table)
    }
}
