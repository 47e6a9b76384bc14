package import Authorization
import Synchronization

/// Login sessions as a test wants them. Observers are told on the thread of whoever makes the change, and have been
/// when that returns.
package final class FakeLoginSessions: LoginSessions {
    private struct Record {
        var isPresent: Bool
        var active: Set<UInt32>
        var observers: [Int: @Sendable () -> Void] = [:]
        var observations = 0
    }

    private let record: Mutex<Record>

    /// - Parameter isPresent: whether there is a login manager; without one nobody is active, whoever is logged in.
    package init(active: Set<UInt32> = [], isPresent: Bool = true) {
        record = Mutex(Record(isPresent: isPresent, active: active))
    }

    package var isPresent: Bool { record.withLock { $0.isPresent } }

    package func isActive(_ uid: UInt32) -> Bool {
        record.withLock { $0.isPresent && $0.active.contains(uid) }
    }

    package func observe(_ changed: @escaping @Sendable () -> Void) -> LoginObservation? {
        let number = record.withLock { record -> Int? in
            guard record.isPresent else { return nil }
            record.observations += 1
            record.observers[record.observations] = changed
            return record.observations
        }
        return number.map { number in
            LoginObservation { [self] in
                _ = record.withLock { $0.observers.removeValue(forKey: number) }
            }
        }
    }

    /// How many observe at present.
    package var observers: Int { record.withLock { $0.observers.count } }

    package func logIn(_ uid: UInt32) { change { $0.active.insert(uid) } }

    package func logOut(_ uid: UInt32) { change { $0.active.remove(uid) } }

    /// The login manager starts; nobody has observed before.
    package func arrive() { change { $0.isPresent = true } }

    private func change(_ body: (inout Record) -> Void) {
        let observers = record.withLock { record in
            body(&record)
            return Array(record.observers.values)
        }
        for tell in observers { tell() }
    }
}
