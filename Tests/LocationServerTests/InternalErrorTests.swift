import Logging
import Synchronization
import Testing

@testable import LocationServer

/// What a release build does when an invariant is violated; a debug build stops there.
@Suite struct InternalErrorTests {
    @Test func everyOneIsCountedAndTheFirstOfEachKindIsLogged() {
        let lines = Lines()
        let stops = Mutex(0)
        let errors = InternalErrors(logger: Logger(label: "test") { _ in lines }) { _ in stops.withLock { $0 += 1 } }
        #expect(errors.count == 0)
        for _ in 0..<3 { errors.report("a watch ends that was never bound") }
        errors.report("a message cannot be encoded")
        #expect(errors.count == 4 && stops.withLock { $0 } == 4)
        #expect(
            lines.all == [
                "error: an internal error: please report it: a watch ends that was never bound",
                "error: an internal error: please report it: a message cannot be encoded",
            ])
    }

    private final class Lines: LogHandler, Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }

        func log(event: LogEvent) {
            let error = event.metadata?["error"].map { ": \($0)" } ?? ""
            lines.withLock { $0.append("\(event.level): \(event.message)\(error)") }
        }
    }
}
