@_spi(Programs) import LocationModel
@_spi(Programs) package import SystemSupport

/// Asks polkit on the system bus, each time over a connection and on a thread of its own: while nobody decides there is
/// neither.
///
/// libsystemd, whose bus it uses, is loaded by the first question.
package struct Polkit: ActionGate {
    /// How long a person may take to authenticate, seconds.
    package static let patience = 120.0

    private let address: String?
    private let patience: Double

    /// - Parameters:
    ///   - address: of the bus; `nil` is the system bus.
    ///   - patience: seconds until a question without an answer is withdrawn.
    package init(address: String? = nil, patience: Double = Self.patience) {
        self.address = address
        self.patience = patience
    }

    package func check(_ action: PolkitAction, by subject: PolkitSubject, until waker: Waker) async -> PolkitAnswer {
        let deadline = MachineClock.now.advanced(bySeconds: patience)
        let question = PolkitQuestion(action: action, subject: subject, address: address, deadline: deadline)
        return await withCheckedContinuation { answer in
            let isStarted = DetachedThread.start(named: "polkit") {
                answer.resume(returning: question.awaitAnswer(until: waker))
            }
            if !isStarted { answer.resume(returning: .unavailable("no thread is left to ask polkit")) }
        }
    }
}
