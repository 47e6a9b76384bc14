import Glibc

/// Tells the unit that a control group belongs to.
///
/// Units are trusted below `system.slice` alone: there only the service manager of the system makes groups, whereas
/// any user can give a group of their own any name. A unit is the first `NAME.service` on the way down from there,
/// with nothing but slices above it; whatever a service makes below itself belongs to it, however it is named. Names
/// stay as the service manager escapes them.
///
/// Ownership: one caller at a time, the server's event loop. A look at a group seen before costs no call; one at a new
/// group costs one call for each service, about a millisecond for a hundred.
package final class ControlGroupTree {
    /// Where the unified hierarchy is mounted: alone, or beside those of version 1.
    package static let usualRoots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]

    private static let limit = 4096

    /// How often a group was looked for that was not known.
    package private(set) var searches = 0

    private let systemSlice: String?
    /// Units by the number of the group, `nil` for a group that is in none. What was found holds for ever: a number
    /// is not used twice between two boots, and a group of the unified hierarchy can be neither moved nor renamed.
    private var known: [UInt64: String?] = [:]

    /// - Parameter roots: where the unified hierarchy may be mounted; the first place that has it counts.
    package init(roots: [String] = usualRoots) {
        let root = roots.first { root in
            ["cgroup.controllers", "cgroup.procs"].allSatisfy { access("\(root)/\($0)", F_OK) == 0 }
        }
        systemSlice = root.map { "\($0)/system.slice" }
    }

    /// Whether there is a unified hierarchy to look into.
    package var isMounted: Bool { systemSlice != nil }

    /// - Parameter group: the number of a control group, which is the inode number of its directory.
    /// - Returns: the unit, or `nil` if the group belongs to none. A failure means that the tree could not be read.
    package func unit(of group: UInt64) -> Told<String?> {
        guard let systemSlice else { return .unsupported }
        if let unit = known[group] { return .value(unit) }
        searches += 1
        do throws(ControlGroupSearch.Failure) {
            let unit = try ControlGroupSearch(group: group).unit(below: systemSlice)
            if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
            known[group] = .some(unit)
            return .value(unit)
        } catch {
            return .failed
        }
    }
}
