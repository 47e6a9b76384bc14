import Testing
import Varlink

@Suite struct ServerSessionTests {
    private func request(_ method: String) -> [UInt8] { Array(#"{"method":"\#(method)"}"#.utf8) + [0] }

    private func method(_ input: ServerSession.Input?) -> String? {
        if case .call(let call) = input { call.method } else { nil }
    }

    private func isViolation(_ input: ServerSession.Input?) -> Bool {
        if case .violation = input { true } else { false }
    }

    @Test func pipelinedCallsAreAnsweredOneAtATimeAndInOrder() {
        var session = ServerSession(requestLimit: 1000)
        session.receive((0..<5).flatMap { request("a.b.C\($0)") })
        for number in 0..<5 {
            #expect(method(session.next()) == "a.b.C\(number)")
            #expect(session.isAnswering)
            #expect(session.next() == nil)
            #expect(session.next() == nil)
            session.finishCall()
            #expect(!session.isAnswering)
        }
        #expect(session.next() == nil)
    }

    @Test func nothingToDoUntilTheMessageIsWhole() {
        var session = ServerSession(requestLimit: 1000)
        #expect(session.next() == nil)
        for byte in request("a.b.C").dropLast() {
            session.receive(CollectionOfOne(byte))
            #expect(session.next() == nil)
        }
        session.receive([0])
        #expect(method(session.next()) == "a.b.C")
    }

    @Test func callsThatComeMeanwhileWait() {
        var session = ServerSession(requestLimit: 1000)
        session.receive(request("a.b.First"))
        #expect(method(session.next()) == "a.b.First")
        session.receive(request("a.b.Second"))
        #expect(session.next() == nil)
        session.finishCall()
        #expect(method(session.next()) == "a.b.Second")
    }

    @Test func finishingNothingIsNothing() {
        var session = ServerSession(requestLimit: 1000)
        session.finishCall()
        session.receive(request("a.b.C"))
        #expect(method(session.next()) == "a.b.C")
    }

    @Test(arguments: ["nonsense\0", "\0", "{}\0", "[]\0"])
    func violationComesOnceAndNothingAfterIt(_ text: String) {
        var session = ServerSession(requestLimit: 1000)
        session.receive(request("a.b.C"))
        session.receive(Array(text.utf8))
        session.receive(request("a.b.D"))
        #expect(method(session.next()) == "a.b.C")
        session.finishCall()
        #expect(isViolation(session.next()))
        session.receive(request("a.b.E"))
        session.finishCall()
        #expect(session.next() == nil)
        #expect(!session.isAnswering)
    }

    @Test func tooLongMessageIsAViolationBeforeItEnds() {
        var session = ServerSession(requestLimit: 64)
        session.receive(Array(repeating: 0x20, count: 65))
        #expect(session.next() == nil)
        session.receive([0x20])
        #expect(isViolation(session.next()))
        #expect(session.next() == nil)
    }

    @Test func tooLongMessageThatCameWholeIsAViolation() {
        var session = ServerSession(requestLimit: 64)
        session.receive(Array(#"{"method":"a.b.C"}"#.utf8) + Array(repeating: 0x20, count: 47) + [0])
        #expect(isViolation(session.next()))
    }

    @Test func longestMessageIsServed() {
        var session = ServerSession(requestLimit: 64)
        let text = Array(#"{"method":"a.b.C"}"#.utf8)
        session.receive(text + Array(repeating: 0x20, count: 64 - text.count) + [0])
        #expect(method(session.next()) == "a.b.C")
    }

    @Test func tooMuchWhileAnsweringIsAViolation() {
        var session = ServerSession(requestLimit: 64)
        session.receive(request("a.b.C"))
        #expect(method(session.next()) == "a.b.C")
        for _ in 0..<3 { session.receive(request("a.b.D")) }
        #expect(session.next() == nil)
        session.receive(request("a.b.D"))
        #expect(isViolation(session.next()))
        session.finishCall()
        #expect(session.next() == nil)
    }

    @Test func pipelineLongerThanTheLimitIsServedWhileAnswersKeepUp() {
        var session = ServerSession(requestLimit: 64)
        session.receive((0..<100).flatMap { _ in request("a.b.C") })
        var served = 0
        while case .call? = session.next() {
            served += 1
            session.finishCall()
        }
        #expect(served == 100)
    }

    @Test func violationSaysTheLimit() {
        var session = ServerSession(requestLimit: 64)
        session.receive(Array(repeating: 0x20, count: 100))
        guard case .violation(let error) = session.next() else {
            Issue.record("it is too long")
            return
        }
        #expect(error.name == "org.varlink.service.InvalidParameter")
        #expect(error.wire?.contains("64 bytes") == true)
    }
}
