import ProgramTestSupport
import ServiceServer
import Testing

/// What the journal is told of outages of the daemon.
struct OutageLogTests {
    @Test func outageAndItsEndAreOneLineEachHoweverManyNotice() {
        let recorded = RecordedLog()
        let log = OutageLog(recorded.logger)
        log.end()
        #expect(recorded.lines.isEmpty)
        for number in 1...2 {
            for _ in 1...3 { log.begin(DaemonCall.Failure(description: "gone \(number)")) }
            #expect(recorded.lines.count == 2 * number - 1 && recorded.lines.last?.contains("gone \(number)") == true)
            for _ in 1...3 { log.end() }
            #expect(recorded.lines.count == 2 * number)
            #expect(recorded.lines.last?.contains("answers again") == true)
        }
    }
}
