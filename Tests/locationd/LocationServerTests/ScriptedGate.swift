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
    private let answer: @Sendable (Waker) async -> PolkitAnswer

    /// - Parameter answer: gets what is woken when the question is withdrawn.
    init(_ answer: @escaping @Sendable (Waker) async -> PolkitAnswer) { self.answer = answer }

    convenience init(_ answer: PolkitAnswer) { self.init { _ in answer } }

    func check(_ action: PolkitAction, by subject: PolkitSubject, until waker: Waker) async -> PolkitAnswer {
        questions.append(Question(action: action, subject: subject))
        return await answer(waker)
    }

    /// A gate that answers each question with what the test says next.
    static func answeredLater() -> (gate: ScriptedGate, answers: AsyncStream<PolkitAnswer>.Continuation) {
        let (answers, continuation) = AsyncStream.makeStream(of: PolkitAnswer.self)
        let gate = ScriptedGate { _ in
            for await answer in answers { return answer }
            return .unavailable("no more answers")
        }
        return (gate, continuation)
    }

    /// A gate that has no answer before its question is withdrawn.
    static func silent() -> ScriptedGate {
        ScriptedGate { waker in
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
