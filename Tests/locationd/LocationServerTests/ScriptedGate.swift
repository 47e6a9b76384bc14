import Polkit
import ProgramTestSupport
@_spi(Programs) import SystemSupport

/// A gate that answers as a test says, and knows what it was asked.
final class ScriptedGate: ActionGate {
    struct Question: Sendable, Equatable {
        let action: PolkitAction
        let subject: PolkitSubject
    }

    let questions = ValueRecorder<Question>()
    private let answer: @Sendable (PolkitAction, Waker) async -> PolkitAnswer

    /// - Parameter answer: gets what is woken when the question is withdrawn.
    init(_ answer: @escaping @Sendable (PolkitAction, Waker) async -> PolkitAnswer) { self.answer = answer }

    convenience init(_ answer: PolkitAnswer) { self.init { _, _ in answer } }

    func check(_ action: PolkitAction, by subject: PolkitSubject, until waker: Waker) async -> PolkitAnswer {
        questions.append(Question(action: action, subject: subject))
        return await answer(action, waker)
    }

    /// A gate that answers each question with what the test says next.
    static func answeredLater() -> (gate: ScriptedGate, answers: AsyncStream<PolkitAnswer>.Continuation) {
        let (answers, continuation) = AsyncStream.makeStream(of: PolkitAnswer.self)
        let gate = ScriptedGate { _, _ in
            for await answer in answers { return answer }
            return .unavailable("no more answers")
        }
        return (gate, continuation)
    }

    /// A gate that has no answer before its question is withdrawn, as polkit where an agent never answers.
    ///
    /// - Parameter answers: what is answered at once.
    static func silent(but answers: [PolkitAction: PolkitAnswer] = [:]) -> ScriptedGate {
        ScriptedGate { action, waker in
            if let answer = answers[action] { return answer }
            await withCheckedContinuation { woken in
                _ = DetachedThread.start(named: "gate") {
                    _ = waker.wait(for: -1, events: 0, seconds: 600)
                    woken.resume()
                }
            }
            return .unavailable("withdrawn")
        }
    }
}
