import Foundation

/// What the kernel lets this process do.
package enum Privileges {
    /// CAP_SYS_ADMIN, as <linux/capability.h> numbers it, among the effective ones: to mount, among others.
    package static let mayMount: Bool = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let set = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
        return set >> 21 & 1 == 1
    }()
}
