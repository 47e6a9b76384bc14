@_spi(Programs) import LocationInterface
import Polkit
@_spi(Programs) import SystemSupport
import Varlink

/// A question that polkit has.
final class GateQuestion {
    let action: PolkitAction
    let uid: UInt32
    /// Ends the wait for the answer.
    let waker: Waker
    /// Whether a newer question has taken its place.
    fileprivate(set) var isDisplaced = false

    init(_ action: PolkitAction, of uid: UInt32, waker: Waker) {
        self.action = action
        self.uid = uid
        self.waker = waker
    }

    func withdraw() { waker.wake() }

    /// Withdraws it if a user wants to let its own programs know the position.
    func withdrawOwn() {
        if action.isOwn { withdraw() }
    }
}

/// The questions that polkit has, the oldest first: one of a user, because each may put a dialog on the person's
/// screen.
///
/// A person may never answer, so the oldest question of a full table ends for a new one. Users' questions about their
/// own programs and those for which an administrator gives the password are counted apart.
struct GateQuestions {
    /// The most of users about their own programs, and the most of administrators.
    static let limit = 16

    private var questions: [GateQuestion] = []

    func contains(_ uid: UInt32) -> Bool { questions.contains { $0.uid == uid } }

    mutating func add(_ question: GateQuestion) throws(ErrorReply) {
        guard !contains(question.uid) else { throw .tooManyAuthorizations(limit: 1) }
        let others = questions.filter { $0.action.isOwn == question.action.isOwn }
        // Each has a thread, also while polkit lets it go.
        guard others.count < 2 * Self.limit else {
            throw .notPermitted("polkit has not let go of \(Self.limit) questions that have ended; try again later")
        }
        let waiting = others.filter { !$0.isDisplaced }
        if waiting.count >= Self.limit, let oldest = waiting.first {
            oldest.isDisplaced = true
            oldest.withdraw()
        }
        questions.append(question)
    }

    mutating func remove(_ question: GateQuestion) { questions.removeAll { $0 === question } }
}
