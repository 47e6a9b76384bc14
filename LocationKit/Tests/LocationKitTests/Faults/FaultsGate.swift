import Dispatch
@_spi(Programs) import LocationKit
import Synchronization

/// A gate at which handlers wait until it is opened.
final class FaultsGate: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let reached = Atomic(false)

    var isReached: Bool { reached.load(ordering: .acquiring) }

    func pass() {
        reached.store(true, ordering: .releasing)
        opened.wait()
        opened.signal()
    }

    func open() { opened.signal() }
}

/// A queue of its own.
struct FaultsPlace {
    private let queue = DispatchQueue(label: "slow")

    var delivery: Delivery { .queue(queue) }
}
