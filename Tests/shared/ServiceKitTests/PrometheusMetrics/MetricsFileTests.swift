import Foundation
import Logging
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import ServiceKit

/// The file that node_exporter reads: renewed at each interval, never half written, gone at the end.
@Suite(.timeLimit(.minutes(10)))
struct MetricsFileTests {
    private let directory: TemporaryFolder
    private let log = RecordedLog()
    private let clock = Intervals()

    init() throws {
        directory = try TemporaryFolder()
    }

    /// Intervals that end when the test says so.
    private final class Intervals: Sendable {
        /// Each interval that began, in seconds.
        private let begun = Latest<[Double]>([])
        private let ended = Latest(())

        func pause(_ seconds: Double) async {
            let now = ended.current.version
            begun.change { $0.append(seconds) }
            _ = await ended.change(after: now)
        }

        /// Waits until so many have begun.
        func begin(_ count: Int) async -> [Double] {
            var (value, version) = begun.current
            while value.count < count {
                version = await begun.change(after: version)
                value = begun.current.value
            }
            return value
        }

        var isIdle: Bool { begun.current.value.isEmpty }

        func end() { ended.change { _ in } }
    }

    private func settings(_ name: String?, interval: Double = 15) -> MetricsSettings {
        var settings = MetricsSettings()
        settings.textfile = name.map { directory($0) }
        settings.interval = interval
        return settings
    }

    /// Writes beside `body`; what is written counts from 1.
    private func write(
        _ settings: MetricsSettings, _ body: (MetricsFileWriter) async throws -> Void
    ) async throws {
        let (log, clock) = (log, clock)
        let writer = MetricsFileWriter(
            settings, logger: Logger(label: "test") { _ in log }, pause: { await clock.pause($0) })
        let count = Latest(0)
        let writing = Task {
            await writer.write {
                count.change { $0 += 1 }
                return "writing \(count.current.value)\n"
            }
        }
        do {
            try await body(writer)
        } catch {
            writing.cancel()
            throw error
        }
        writing.cancel()
        await writing.value
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOfFile: directory(name), encoding: .utf8)
    }

    @Test func fileIsRenewedAtEachIntervalAndRemovedAtTheEnd() async throws {
        try await write(settings("a.prom", interval: 7)) { _ async throws in
            for number in 1...3 {
                #expect(await clock.begin(number).last == 7)
                #expect(try content("a.prom") == "writing \(number)\n")
                clock.end()
            }
            _ = await clock.begin(4)
            #expect(try directory.names == ["a.prom"], "nothing is left beside it")
            #expect(try directory.mode(of: "a.prom") == 0o640, "when the receivers run is nothing to everybody")
        }
        #expect(try directory.names == [])
        #expect(log.lines == [])
    }

    @Test func withoutAFileNothingHappens() async throws {
        try await write(settings(nil)) { writer async throws in
            for _ in 0..<1000 { await Task.yield() }
            #expect(clock.isIdle)
            writer.apply(settings("late.prom"))
            _ = await clock.begin(1)
            #expect(try content("late.prom") == "writing 1\n", "nothing was asked for before")
        }
    }

    @Test func anotherFileReplacesTheFirst() async throws {
        try await write(settings("a.prom")) { writer async throws in
            _ = await clock.begin(1)
            writer.apply(settings("b.prom", interval: 3))
            #expect(await clock.begin(2) == [15, 3])
            #expect(try directory.names == ["b.prom"])
            #expect(try content("b.prom") == "writing 2\n")
            writer.apply(settings(nil))
            writer.apply(settings("c.prom"))
            _ = await clock.begin(3)
            #expect(try directory.names == ["c.prom"])
        }
    }

    @Test func troubleIsToldOnceAndTriedAgain() async throws {
        try await write(settings("missing/a.prom")) { _ async throws in
            for number in 1...3 {
                _ = await clock.begin(number)
                clock.end()
            }
            _ = await clock.begin(4)
            #expect(log.lines.count == 1, "\(log.lines)")
            #expect(log.lines.first?.hasPrefix("error: the metrics cannot be written") == true)
            #expect(log.lines.first?.contains("missing/a.prom.new: No such file or directory") == true)
            try directory.makeFolder("missing")
            clock.end()
            _ = await clock.begin(5)
            #expect(log.lines.last == "notice: the metrics are written again")
            #expect(log.lines.count == 2)
            #expect(try content("missing/a.prom") == "writing 5\n")
        }
    }

    @Test func troubleOfAnotherFileIsToldAnew() async throws {
        try await write(settings("missing/a.prom")) { writer async throws in
            _ = await clock.begin(1)
            writer.apply(settings("missing/b.prom"))
            _ = await clock.begin(2)
            #expect(log.lines.count == 2, "\(log.lines)")
            #expect(log.lines.last?.contains("missing/b.prom.new: No such file or directory") == true)
        }
    }

    @Test func whatCannotBeReplacedStays() throws {
        try directory.makeFolder("a.prom")
        let file = MetricsFile(path: directory("a.prom"))
        #expect(throws: MetricsFile.Failure.self) { try file.replace(with: "text") }
        #expect(try directory.names == ["a.prom"], "no half is left")
    }

    @Test func linkUnderTheTemporaryNameIsNotFollowed() throws {
        try "kept".write(toFile: directory("other"), atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: directory("a.prom.new"), withDestinationPath: directory("other"))
        try MetricsFile(path: directory("a.prom")).replace(with: "text")
        #expect(try content("other") == "kept")
        #expect(try content("a.prom") == "text")
    }
}
