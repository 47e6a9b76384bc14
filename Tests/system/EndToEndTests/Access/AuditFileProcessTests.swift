import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Who asked, who was let in and who was told is to be found afterwards, each thing once.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct AuditFileProcessTests {
    private let stranger = OtherUser.stranger.number
    private var principal: String { "uid:\(stranger)" }

    /// The day of a record: what is noted once a day is noted again in a night that falls into a test.
    private func day(of record: AuditRecord) -> Int64 { record.time.seconds / 86_400 }

    @Test func eachThingIsThereOnce() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let program = try OtherUserProcess(uid: stranger)
        func visits(_ body: (ClientConnection) throws -> Void) throws {
            for _ in 1...3 { try body(program.connect(to: daemon.socket)) }
        }
        try visits { _ = try #require(try $0.refusal()) }
        try visits { _ = try $0.ask(purpose: "map") }
        try daemon.decide(.authorizedAlways, principal)
        try visits { _ = try $0.location() }
        try visits {
            try $0.watch()
            try $0.awaitLocation()
        }
        try daemon.decide(.denied, principal)
        try visits { _ = try #require(try $0.refusal()) }

        let records = try daemon.history(of: principal)
        #expect(
            Set(records.map(day)).count > 1
                || records.map(\.event) == [
                    .refused, .requested, .granted, .delivered, .revoked, .refused,
                ], "\(records)")
        #expect(records.map(\.time) == records.map(\.time).sorted())
        for record in records {
            #expect(record.principal == principal && record.uid == Int(stranger))
            let isOfAProgram = [.refused, .requested, .delivered].contains(record.event)
            #expect(
                record.pid == (isOfAProgram ? Int(program.pid) : nil) && record.by == (isOfAProgram ? nil : "uid:0"))
        }
        #expect(records.first?.authorization == .notDetermined && records.last?.authorization == .denied)
        #expect(records.first { $0.event == .requested }?.purpose == "map")
        #expect(records.first { $0.event == .delivered }?.accuracy == .full)
        // The log has the same.
        #expect(daemon.log.contains("the first location of the day was sent to a principal accuracy=full"))
        #expect(daemon.log.contains("a principal may no longer know the location"))
    }

    @Test func restartRepeatsNothing() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let program = try OtherUserProcess(uid: stranger)
        #expect(try program.connect(to: daemon.socket).refusal() != nil)
        try daemon.decide(.authorizedAlways, principal)
        for ending in [daemon.kill, { try daemon.stop() }, {}] {
            _ = try program.connect(to: daemon.socket).location()
            // A reply of the audit says that it is written, and so outlives a kill.
            #expect(try daemon.history(of: principal).contains { $0.event == .delivered })
            try ending()
            if daemon.process.exitCode != nil { try daemon.start() }
        }
        let records = try daemon.history(of: principal)
        #expect(Set(records.map(day)).count > 1 || records.map(\.event) == [.refused, .granted, .delivered])
    }

    @Test func fullDiskStopsNoFixes() throws {
        let folder = try TemporaryFolder()
        let disk = try TinyDisk(on: folder.makeFolder("state"))
        let daemon = try DaemonProcess(Settings.simulator(), in: folder)
        try daemon.decide(.authorizedAlways, principal)
        #expect(try daemon.history(of: principal).map(\.event) == [.granted])
        let obstacle: String
        if disk != nil {
            obstacle = try TinyDisk.fill(daemon.state)
        } else {
            obstacle = daemon.state + "/history.jsonl"
            try FileManager.default.removeItem(atPath: obstacle)
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        }
        // A page of the audit's file may have room for some lines yet.
        let connection = try daemon.connection(uid: stranger)
        try connection.watch()
        try connection.awaitLocation()
        for uid in 61_400..<61_460 as Range<UInt32> where !daemon.log.contains("the audit cannot be written") {
            _ = try daemon.connection(uid: uid).ask(purpose: String(repeating: "x", count: 250))
        }
        try daemon.awaitLog("the audit cannot be written; its records wait for the next attempt")
        for _ in 1...5 { try connection.awaitLocation() }

        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try daemon.history(of: principal).map(\.event).contains(.delivered), "nothing noted is lost")
        try daemon.awaitLog("the audit is written again")
        try connection.awaitLocation()
        try daemon.stop()
        #expect(text(of: daemon.state + "/history.jsonl").contains("\"delivered\""))
        _ = disk
    }
}
