import LocationKit
import LocationModel

extension ScriptedTransportState {
    mutating func openCall() -> Int {
        callCount += 1
        openCalls.insert(callCount)
        return callCount
    }

    /// - Returns: what was kept for the call, to be let go without the lock.
    mutating func cancel(_ call: Int) -> [Petition] {
        openCalls.remove(call)
        let cancelled = petitions.filter { $0.call == call }
        petitions.removeAll { $0.call == call }
        return cancelled
    }

    mutating func answer(_ call: Int, isLast: Bool = true, _ answer: @escaping @Sendable () -> Void) {
        due.append(.answer(call: call, isLast: isLast, answer))
    }

    mutating func petition(_ level: AuthorizationLevel, _ answer: @escaping AuthorizationAnswer) -> Int {
        let petition = Petition(call: openCall(), level: level, answer: answer)
        if world.failure == nil, world.authorization == .notDetermined {
            if let authorizationAnswer, authorizationAnswer != .notDetermined {
                authorize(authorizationAnswer)
            } else {
                petitions.append(petition)
                world.isPending = true
                announce()
                reply(to: petition, isLast: false)
                return petition.call
            }
        }
        reply(to: petition, isLast: true)
        return petition.call
    }

    /// Somebody decides, which answers all who wait.
    mutating func authorize(_ authorization: AuthorizationStatus, reason: String? = nil) {
        world.authorization = authorization
        world.refusal = reason
        world.isPending = false
        announce()
        endPetitions()
    }

    /// Everybody who waits for a decision gets the last answer there is.
    mutating func endPetitions() {
        for petition in petitions { reply(to: petition, isLast: true) }
        petitions = []
    }

    private mutating func reply(to petition: Petition, isLast: Bool) {
        let result: Result<ServiceStatus, LocationError> = world.failure.map { .failure($0) } ?? .success(status)
        answer(petition.call, isLast: isLast) { petition.answer(result, isLast) }
    }
}
