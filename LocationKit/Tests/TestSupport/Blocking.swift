import Foundation
import Glibc

/// Does work that waits on a thread of its own, so that it holds up no other test.
package func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}

/// What is said next on a socket, waiting as long as the socket's own patience; empty once the other side has closed.
package func receiveText(_ socket: Int32) throws -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = recv(socket, &bytes, bytes.count, 0)
    guard count >= 0 else { throw Failure("nothing is said: \(String(cString: strerror(errno)))") }
    return String(decoding: bytes[..<count], as: UTF8.self)
}
