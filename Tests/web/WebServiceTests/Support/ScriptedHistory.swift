import Glibc
import ProgramTestSupport

/// A track history whose replies the test sends.
final class ScriptedHistory {
    /// One call of `GetTrack`.
    final class Call {
        let descriptor: Int32
        private var rest: ArraySlice<UInt8> = []

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// Whether the caller has left.
        var isClosed: Bool {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                if count <= 0 { return count == 0 || errno != EAGAIN }
            }
        }

        /// Sends what the caller takes.
        /// - Returns: whether all of it is sent.
        func send(_ text: String = "") -> Bool {
            rest += Array(text.utf8)
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            rest = []
            return true
        }
    }

    let path: String
    private let listener: Int32

    init(_ path: String) throws {
        self.path = path
        listener = try SocketFile.listener(at: path)
    }

    deinit { close(listener) }

    /// The next call, if one has come.
    func accept() -> Call? { UnixSocket(acceptedBy: listener).map { Call($0.release()) } }

    func next() async throws -> Call {
        var call: Call?
        try await eventually("a call") {
            call = accept()
            return call != nil
        }
        guard let call else { throw Failure("no call") }
        return call
    }

    /// A reply with points, a second from each other.
    ///
    /// - Parameter source: the name of their receiver.
    static func reply(_ count: Int, from start: Int, isLast: Bool, source: String = "gpsd") -> String {
        let points = (start..<start + count).map { second in
            let time =
                "2026-01-0\(1 + second / 86_400)T\(two(second / 3600 % 24)):\(two(second / 60 % 60)):\(two(second % 60))Z"
            return
                #"{"time":"\#(time)","latitude":48.5,"longitude":9.25,"source":"\#(source)","method":"satellite","simulated":false}"#
        }
        return #"{"parameters":{"points":[\#(points.joined(separator: ","))]}\#(isLast ? "" : #","continues":true"#)}"#
            + "\0"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
