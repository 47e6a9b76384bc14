/// What came of a question to the kernel.
package enum Told<Value> {
    case value(Value)
    /// This kernel does not have the call: nobody can be told, whoever is asked about.
    case unsupported
    /// The kernel has the call and does not answer; the process may be gone.
    case failed
}

extension Told: Sendable where Value: Sendable {}
extension Told: Equatable where Value: Equatable {}
