import Dispatch

/// Runs a blocking body on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "on-thread").async { continuation.resume(returning: body()) }
    }
}
