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
    package func unit(of group: UInt64) -> KernelAnswer<String?> {
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

extension ControlGroupTree {
    /// Whether this machine tells the unit of a process, without which no rule about a unit can hold.
    package static func unitsAreTold(
        calls: any PeerCalls = KernelPeerCalls(), roots: [String] = usualRoots
    ) -> Bool {
        // On a kernel of 32 bits a directory's number is half of its group's.
        guard UInt.bitWidth == 64, ControlGroupTree(roots: roots).isMounted else { return false }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return false
        }
        defer { ends.forEach { close($0) } }
        guard case .value(let process) = calls.process(of: ends[0]),
            case .value = calls.controlGroup(of: process)
        else { return false }
        return true
    }
}

/// One look through the slices of the system for the service that a control group belongs to.
struct ControlGroupSearch {
    /// The tree could not be read to the end, so that nothing can be said about the group.
    struct Failure: Error {}

    /// The inode number of the group's directory.
    let group: UInt64

    /// How many groups of one service are looked at. A service to which its groups are delegated may make, or hide,
    /// as many as it likes: what is beyond belongs to no unit, at the cost of that service alone.
    static let limit = 1024

    /// - Parameter slice: the path of a slice, which need not exist.
    /// - Returns: the service's name; `nil` if no service below the slice has the group.
    func unit(below slice: String) throws(Failure) -> String? {
        var slices = [slice]
        while let slice = slices.popLast() {
            for name in try children(of: slice) {
                let path = "\(slice)/\(name)"
                if name.hasSuffix(".slice") {
                    slices.append(path)
                } else if Subject.isUnit(name), try isGroup(within: path) {
                    return name
                }
            }
        }
        return nil
    }

    /// Whether the group is that of a service or one that the service has made below itself, the upper ones first.
    private func isGroup(within service: String) throws(Failure) -> Bool {
        var paths = [service]
        var index = 0
        while index < paths.count {
            let path = paths[index]
            index += 1
            var status = stat()
            guard lstat(path, &status) == 0 else {
                try passOver(errno)
                continue
            }
            if UInt64(status.st_ino) == group { return true }
            // A directory of two links, its name and its own dot, has no directories in it: most services end here.
            guard status.st_nlink != 2, paths.count < Self.limit else { continue }
            let names: [String]
            do throws(Unreadable) {
                names = try Directories.names(in: path, limit: Self.limit - paths.count)
            } catch {
                try passOver(error.code)
                continue
            }
            paths += names.map { "\(path)/\($0)" }
        }
        return false
    }

    private func children(of slice: String) throws(Failure) -> [String] {
        do throws(Unreadable) {
            return try Directories.names(in: slice)
        } catch {
            // A slice may go while it is looked for. Nobody but the system could make one unreadable.
            guard error.code == ENOENT else { throw Failure() }
            return []
        }
    }

    /// A group that is gone, hidden or too deep is passed over: none of this may harm other services' clients.
    private func passOver(_ code: Int32) throws(Failure) {
        guard [ENOENT, ENODEV, ENOTDIR, EACCES, EPERM, ENAMETOOLONG].contains(code) else { throw Failure() }
    }
}

/// Why a directory could not be read.
struct Unreadable: Error {
    let code: Int32
}

/// The directories in a directory.
enum Directories {
    /// - Parameter limit: how many names are read at most.
    static func names(in path: String, limit: Int = .max) throws(Unreadable) -> [String] {
        guard let directory = opendir(path) else { throw Unreadable(code: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(directory) else {
                if errno != 0 { throw Unreadable(code: errno) }
                break
            }
            // The name is read in place: the entry ends with it, before the field's full length.
            guard entry.pointee.d_type == DT_DIR, let offset = MemoryLayout<dirent>.offset(of: \.d_name)
            else { continue }
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            guard let name = String(validatingCString: name), name != ".", name != ".." else { continue }
            names.append(name)
        }
        return names
    }
}
