@_spi(Programs) import LocationModel
import Testing

@testable import locctl

/// Which of several signals ends a command at once.
struct InterruptionRequestsTests {
    private let start = BootInstant(seconds: 1000)

    @Test func furtherSignalsOfTheSameRequestEndNothing() {
        var requests = Interruption.Requests()
        let answers = [0, 0, 0.001, 0.499].map { requests.isOverdue(at: start.advanced(bySeconds: $0)) }
        #expect(answers == [false, false, false, false])
    }

    @Test(arguments: [0.5, 1, 86_400]) func aSecondRequestEndsTheCommand(seconds: Double) {
        var requests = Interruption.Requests()
        let answers = [0, seconds].map { requests.isOverdue(at: start.advanced(bySeconds: $0)) }
        #expect(answers == [false, true])
    }
}
