import ProgramTestSupport
import Synchronization
import Testing

@testable import LocationServer

/// What a release build does when an invariant is violated; a debug build stops there.
@Suite struct InternalErrorTests {
    @Test func everyOneIsCountedAndTheFirstOfEachKindIsLogged() {
        let log = RecordedLog()
        let stops = Mutex(0)
        let errors = InternalErrors(logger: log.logger) { _ in stops.withLock { $0 += 1 } }
        #expect(errors.count == 0)
        for _ in 0..<3 { errors.report("a watch ends that was never bound") }
        errors.report("a message cannot be encoded")
        #expect(errors.count == 4 && stops.withLock { $0 } == 4)
        #expect(
            log.lines == [
                "error: an internal error: please report it: a watch ends that was never bound",
                "error: an internal error: please report it: a message cannot be encoded",
            ])
    }
}
