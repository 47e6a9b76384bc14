/// Something that lives on the client thread, held where others can see it.
///
/// The promise is kept by this: the value is reached only with a loop, and a loop is seen only on the client thread,
/// of which there is one at a time; an ended thread and the next one are put in order by the lock of ``ClientThread``.
/// The value comes from one place, is let go of by the last holder wherever that is, and holds nothing by then that
/// belongs to a loop.
final class ClientThreadConfined<Value>: @unchecked Sendable {
    private let value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    func callAsFunction(_ loop: ClientLoop) -> Value { value }
}
