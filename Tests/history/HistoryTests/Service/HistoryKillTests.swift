import Foundation
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing
import TrackHistory

/// The built program, killed at any moment.
@Suite(.timeLimit(.minutes(30))) struct HistoryKillTests {
    /// What the program has said to be written is there; what it had not yet said is missing whole, or there.
    ///
    /// `LOCATIOND_KILLS` is the number of times, 20 without it.
    @Test func killedProgramLosesNothing() async throws {
        let kills = ProcessInfo.processInfo.environment["LOCATIOND_KILLS"].flatMap { Int($0) } ?? 20
        let machine = try await HistoryMachine()
        var (times, said, delays) = ([String](), 0, [Double]())
        for round in 0..<kills {
            let history = try await machine.start()
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...400)))
            history.signal(SIGKILL)
            let moment = Date()
            _ = try await blocking { try history.wait() }
            let changes = HistoryMachine.changes(history)
            for change in changes {
                if change == "-" { times.removeLast() } else { times.append(String(change.dropFirst())) }
            }
            said += changes.count
            // As the program itself opens it.
            _ = try TrackFile(at: machine.path).memory()
            let found = try machine.times()
            // The transaction that was under way may have left out the newest one.
            #expect(found.starts(with: times.dropLast()), "round \(round)")
            if let last = times.last { #expect(try #require(found.last) >= last, "round \(round)") }
            times = found
            if !changes.isEmpty, let last = found.last.flatMap({ UTCTime($0) }) {
                delays.append(moment.timeIntervalSince1970 - last.seconds(since: UTCTime(seconds: 0)))
            }
        }
        #expect(said >= kills / 2, "\(said) changes in \(kills) rounds prove nothing")
        // A fix each 0.2 s. A busy machine may hold up some rounds, and not most of them.
        #expect(delays.sorted()[delays.count / 2] < 1, "\(delays)")
        print("\(kills) kills, \(said) changes; at a kill the newest point was \(delays.max() ?? 0) s old at most")
    }
}
