import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
import LocationServer
import ProgramTestSupport
import ServiceKit
import Testing

/// What an administrator finds in a real journal.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: JournalMachine.isPossible))
struct JournalTests {
    private let machine: JournalMachine
    private let folder: TemporaryFolder
    private var control: String { folder("run/" + SocketName.control) }

    init() throws {
        machine = try JournalMachine()
        folder = try TemporaryFolder()
        try folder.write(Settings.fixed, to: "locationd.toml")
    }

    private func start() throws -> LoggedProcess {
        let daemon = try machine.start(Products.daemon, DaemonProcess.flags(in: folder))
        _ = try machine.entry("\(id(.started))", "_PID=\(daemon.pid)")
        return daemon
    }

    private func id(_ event: ServiceEvent) -> String { "MESSAGE_ID=\(event.rawValue)" }

    @discardableResult
    private func locctl(_ words: String...) throws -> Int32 {
        try LoggedProcess(Products.command, words + ["--socket", control]).wait()
    }

    @Test func eventsAreFoundByNumberWithTheirData() throws {
        let daemon = try start()
        let started = try machine.entry(id(.started))
        #expect(started["_TRANSPORT"] == "journal" && started["SYSLOG_IDENTIFIER"] == "locationd")
        #expect(started["PRIORITY"] == "5" && started["SYSLOG_FACILITY"] == "3" && started["_PID"] == "\(daemon.pid)")
        #expect(started["LOCATIOND_CONTROL"] == control)
        #expect(started["MESSAGE"]?.hasPrefix("listening control=\(control) ") == true)

        #expect(try locctl("stop") == 0)
        #expect(try machine.entry(id(.switchedOff))["LOCATIOND_BY"] == "uid:\(geteuid())")
        #expect(try locctl("get", "--timeout", "5") != 0)
        #expect(try locctl("start") == 0)
        #expect(try locctl("get", "--timeout", "20") == 0)
        #expect(try machine.entry(id(.fixFound))["LOCATIOND_SOURCE"] == "static")
        #expect(try machine.entry(id(.firstDelivery))["LOCATIOND_PRINCIPAL"] == "uid:\(geteuid())")

        try folder.write("[delivery]\nlinger = -1\n", to: "locationd.toml")
        daemon.signal(SIGHUP)
        let refused = try machine.entry(id(.configurationRefused), "PRIORITY=3")
        #expect(refused["LOCATIOND_REASON"]?.contains("locationd.toml:2: delivery.linger: ") == true)
        #expect(
            refused["MESSAGE"]?.hasPrefix("the new configuration is invalid; the former one stays in effect reason=")
                == true)

        #expect(try locctl("log-level", "error") == 0)
        #expect(try machine.entry(id(.logLevelSet))["LOCATIOND_LEVEL"] == "error")
        #expect(try locctl("stop") == 0)
        #expect(try locctl("log-level", "info") == 0)
        daemon.signal(SIGTERM)
        #expect(try daemon.wait() == 0)
        _ = try machine.entry(id(.ended))
        #expect(try machine.entries([id(.switchedOff)]).count == 1, "the second was below the level")
        let others = try machine.entries(["_PID=\(daemon.pid)"]).filter { $0["_TRANSPORT"] != "journal" }
        #expect(others.isEmpty)
    }

    @Test func daemonThatCannotRunSaysSoAtItsPriority() throws {
        try folder.write("[delivery]\nlinger = -1\n", to: "locationd.toml")
        let daemon = try machine.start(Products.daemon, DaemonProcess.flags(in: folder))
        #expect(try daemon.wait() == 2)
        let failed = try machine.entry(id(.failed), "PRIORITY=2", "_PID=\(daemon.pid)")
        #expect(failed["LOCATIOND_REASON"]?.contains("locationd.toml:2: delivery.linger: ") == true)
    }

    @Test func journalThatDiesEndsNothingAndIsFoundAgain() throws {
        let daemon = try start()
        try machine.killJournal()
        try waitUntil("the new journal is written to") {
            #expect(try locctl("stop") == 0)
            #expect(try locctl("start") == 0)
            return try !machine.entries([id(.switchedOn), "_TRANSPORT=journal"]).isEmpty
        }
        daemon.signal(SIGTERM)
        #expect(try daemon.wait() == 0)
    }

    @Test func entryThatNoDatagramHoldsArrivesWhole() throws {
        var entry = JournalEntry()
        entry.add("MESSAGE", "big")
        let lines = (0..<50_000).map { "line \($0)" }.joined(separator: "\n")
        entry.add("LOCATIOND_LINES", lines)
        #expect(entry.bytes.count > 500_000)
        #expect(try #require(JournalSocket(path: machine.socket)).send(entry))
        #expect(try machine.entry("MESSAGE=big")["LOCATIOND_LINES"] == lines)
    }
}
