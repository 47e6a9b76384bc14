import LocationKit
import LocationModel

extension ScriptedTransportState {
    /// Moves the clock to the next moment somebody is to be woken at, at most to `target`.
    ///
    /// - Returns: false if nobody is to be woken any more.
    mutating func advance(towards target: BootInstant) -> Bool {
        guard let next = clients.values.compactMap(\.wakeTime).min(), next <= target else {
            now = max(now, target)
            return false
        }
        now = max(now, next)
        wakeAll(at: now)
        return true
    }

    mutating func wakeAll(at moment: BootInstant) {
        for (id, client) in clients {
            guard let wakeTime = client.wakeTime, wakeTime <= moment else { continue }
            clients[id]?.wakeTime = nil
            due.append(.wake(id, number: client.wakeNumber))
        }
    }

    /// - Returns: false if somebody settles already, who will also tell what was added meanwhile.
    mutating func beginSettling() -> Bool {
        defer { isSettling = true }
        return !isSettling
    }

    /// What is to be done next; `nil` when nothing is due, which ends the settling.
    mutating func next() -> Action? {
        while !due.isEmpty {
            if let action = action(for: due.removeFirst()) { return action }
        }
        isSettling = false
        return nil
    }

    private mutating func action(for due: Due) -> Action? {
        switch due {
        case .event(let event, let id):
            guard let audience = clients[id]?.audience, clients[id]?.admits(event, in: world) == true else {
                return nil
            }
            return .tell(audience, event)
        case .wake(let id, let number):
            guard let known = clients[id], known.wakeNumber == number else { return nil }
            return known.client.map { .wake($0) }
        case .answer(let call, let isLast, let answer):
            let isOpen = isLast ? openCalls.remove(call) != nil : openCalls.contains(call)
            return isOpen ? .answer(answer) : .forget(answer)
        }
    }
}
