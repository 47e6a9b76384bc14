import Glibc

/// What a process runs, as far as the kernel tells every user. exec(2) begins another program in the same process,
/// which the process's descriptor does not tell.
package struct ProcessImage: Sendable, Hashable {
    /// At most 15 bytes: the name of the executable, or what the program has chosen.
    package let name: String
    /// The effective user.
    package let uid: UInt32
    /// The size of the executable's code, kB.
    let codeSize: Int
    /// The largest size of its memory until now, kB; it falls only when another program begins.
    let largestSize: Int

    package init(name: String, uid: UInt32, codeSize: Int, largestSize: Int) {
        (self.name, self.uid, self.codeSize, self.largestSize) = (name, uid, codeSize, largestSize)
    }

    /// - Parameter status: the content of `/proc/PID/status`; see proc(5).
    /// - Returns: `nil` if a member is missing, as after the end of the process.
    init?(status: some StringProtocol) {
        var values: [Substring: [Substring]] = [:]
        for line in status.split(separator: "\n") {
            let parts = Substring(line).split(separator: ":", maxSplits: 1)
            guard let key = parts.first, parts.count == 2 else { continue }
            values[key] = parts[1].split { $0 == "\t" || $0 == " " }
        }
        guard let name = values["Name"], let uids = values["Uid"], uids.count == 4, let uid = UInt32(uids[1]),
            let code = values["VmExe"]?.first.flatMap({ Int($0) }),
            let largest = values["VmPeak"]?.first.flatMap({ Int($0) })
        else { return nil }
        self.init(name: name.joined(separator: " "), uid: uid, codeSize: code, largestSize: largest)
    }

    /// Whether this can be the same program at a later moment.
    package func mayFollow(_ earlier: ProcessImage) -> Bool {
        name == earlier.name && uid == earlier.uid && codeSize == earlier.codeSize
            && largestSize >= earlier.largestSize
    }
}

/// A process about which a decision may be made.
package protocol DecidableProcess: AnyObject {
    var pid: Int32 { get }
    var hasEnded: Bool { get }
    /// What it runs; `nil` after its end, and where /proc does not show it.
    var image: ProcessImage? { get }
}

/// The process of a program: its number, and the descriptor by which the reuse of the number is noticed.
package final class ProgramProcess: DecidableProcess {
    package let pid: Int32
    private let descriptor: ProcessDescriptor
    /// The bridge that serves it. What is decided about the program through the bridge ends with that bridge too.
    private let bridge: ProcessDescriptor?

    package init(pid: Int32, descriptor: ProcessDescriptor, servedBy bridge: ProcessDescriptor? = nil) {
        (self.pid, self.descriptor, self.bridge) = (pid, descriptor, bridge)
    }

    package var hasEnded: Bool { descriptor.hasEnded || bridge?.hasEnded == true }

    package var image: ProcessImage? {
        let image = Self.statusText(of: pid).flatMap { ProcessImage(status: $0) }
        // While the process runs its number is no other's, so that what was read is about this process.
        return hasEnded ? nil : image
    }

    /// The kernel makes the text without reading the memory of the process, so that a program cannot delay it.
    private static func statusText(of pid: Int32) -> String? {
        let file = open("/proc/\(pid)/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The list of a user's groups, of which there may be 65536, comes before the sizes.
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 1 << 20 {
            let count = read(file, &part, part.count)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
