import Glibc

/// The file in which a ``WrittenPosition`` stands.
struct PositionFile: Sendable {
    let path: String
    /// Bytes; four numbers with all their comments come nowhere near.
    static let largest = 65_536

    /// Why it gives no position, with the next step.
    struct Fault: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    func position() throws(Fault) -> WrittenPosition {
        let text = try content()
        do {
            return try WrittenPosition(parsing: text)
        } catch {
            throw Fault(description: "\(path)\(error.line.map { ":\($0)" } ?? ""): \(error.problem)")
        }
    }

    private func content() throws(Fault) -> [UInt8] {
        // Not blocking, because opening a FIFO would otherwise wait for somebody to write into it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno != ENOENT else {
                throw Fault(description: "there is no \(path); write latitude and longitude into it, one a line")
            }
            throw Fault(description: "\(path) cannot be opened: \(Self.reason); let the daemon's user read it")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Fault(description: "\(path) is no regular file; name one that holds latitude and longitude")
        }
        var content = [UInt8](repeating: 0, count: Self.largest + 1)
        var size = 0
        while size < content.count {
            let count = content[size...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count > 0 {
                size += count
            } else if errno != EINTR {
                throw Fault(description: "\(path) cannot be read: \(Self.reason); check the file and its disk")
            }
        }
        guard size <= Self.largest else {
            throw Fault(description: "\(path) is larger than \(Self.largest) bytes; four lines are enough")
        }
        return Array(content[..<size])
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
