@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import Synchronization
import Testing

@_spi(Programs) @testable import locationd

/// What was logged, for tests to look at.
final class CollectedLog: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let stored = Mutex<[Entry]>([])

    var entries: [Entry] { stored.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    func count(of message: String) -> Int { entries.count { $0.message == message } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(log: CollectedLog) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let entry = Entry(
                level: event.level, message: "\(event.message)",
                metadata: (event.metadata ?? [:]).mapValues { "\($0)" })
            log.stored.withLock { $0.append(entry) }
        }
    }
}

/// Each record of the audit is one of the log.
struct AuditLogTests {
    @Test func recordIsASentenceWithItsDataBeside() throws {
        let log = CollectedLog()
        var record = AuditRecord(.granted, principal: "uid:1000", time: UTCTime(seconds: 0))
        record.uid = 1000
        record.pid = 7
        record.authorization = .authorizedAlways
        record.accuracy = .reduced
        record.by = "uid:0"
        record.purpose = "a map"
        record.log(to: log.logger)
        let entry = try #require(log.entries.first)
        #expect(entry.level == .notice && entry.message == "a principal may know the location")
        #expect(
            entry.metadata == [
                "MESSAGE_ID": ServiceEvent.authorizationGranted.rawValue, "principal": "uid:1000", "uid": "1000",
                "pid": "7", "authorization": "authorizedAlways",
                "accuracy": "reduced", "by": "uid:0", "purpose": "a map",
            ])
    }

    @Test func whatIsUnknownIsLeftOutAndEachEventHasItsSentence() {
        let log = CollectedLog()
        let events: [AuditRecord.Event] = [
            .requested, .granted, .refused, .revoked, .reset, .delivered, .unknown,
        ]
        for event in events {
            AuditRecord(event, principal: "uid:1", time: UTCTime(seconds: 0)).log(to: log.logger)
        }
        #expect(Set(log.entries.map(\.message)).count == events.count)
        #expect(Set(log.entries.map { $0.metadata["MESSAGE_ID"] }).count == events.count)
        #expect(log.entries.allSatisfy { $0.metadata["principal"] == "uid:1" && $0.metadata.count <= 3 })
        let advice = "`locctl authorizations` lists what waits; `locctl authorize uid:1` or `locctl deny uid:1` decides"
        #expect(log.entries.map { $0.metadata["advice"] } == [advice] + events.dropFirst().map { _ in nil })
    }
}
