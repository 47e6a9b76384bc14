import Glibc

/// Finds the unit that a control group belongs to.
///
/// Units are trusted below `system.slice` only: there the system's service manager alone creates groups, whereas any
/// user can give a group of their own any name. A unit is the first `NAME.service` on the way down from there, with
/// nothing but slices above it. All groups that a service creates below itself belong to it, whatever their names.
/// Names stay as the service manager escapes them.
///
/// Ownership: one caller at a time, the server's event loop. Looking up a known group makes no system call. Looking up
/// a new one makes one call for each service, about a millisecond for a hundred.
package final class ControlGroupTree {
    /// The mount points of the unified hierarchy: alone, or beside those of version 1.
    package static let usualRoots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]

    private static let limit = 4096

    /// The number of look-ups of groups that were not known.
    package private(set) var searches = 0

    private let systemSlice: String?
    /// Units by the id of the group, `nil` for a group that is in none. Entries stay valid: an id is not used twice
    /// within one boot, and a group of the unified hierarchy can be neither moved nor renamed.
    private var known: [UInt64: String?] = [:]

    /// - Parameter roots: possible mount points of the unified hierarchy; the first that has it is used.
    package init(roots: [String] = usualRoots) {
        let root = roots.first { root in
            ["cgroup.controllers", "cgroup.procs"].allSatisfy { access("\(root)/\($0)", F_OK) == 0 }
        }
        systemSlice = root.map { "\($0)/system.slice" }
    }

    /// Whether the unified hierarchy is mounted.
    package var isMounted: Bool { systemSlice != nil }

    /// - Parameter group: the id of a control group, which is the inode number of its directory.
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
    /// Whether this machine can report the unit of a process; otherwise rules about units cannot apply.
    package static func kernelReportsUnits(
        calls: any PeerCalls = KernelPeerCalls(), roots: [String] = usualRoots
    ) -> Bool {
        // On a 32-bit kernel a directory's inode number is half of its group's id.
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

/// One search through the system's slices for the service that a control group belongs to.
struct ControlGroupSearch {
    /// The tree could not be read completely, so the group's unit is unknown.
    struct Failure: Error {}

    /// The inode number of the group's directory.
    let group: UInt64

    /// The most groups of one service that are searched. A service with delegated groups may create, or hide, any
    /// number of them: groups beyond the limit belong to no unit, which affects that service only.
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

    /// Whether the group is that of a service, or one below it; searched breadth-first.
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
            // A directory with two links has no subdirectories; most services have none.
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
            // A slice may disappear during the search. Only the system could make one unreadable.
            guard error.code == ENOENT else { throw Failure() }
            return []
        }
    }

    /// Skips a group that is gone, hidden or too deep: none of this may affect the clients of other services.
    private func passOver(_ code: Int32) throws(Failure) {
        guard [ENOENT, ENODEV, ENOTDIR, EACCES, EPERM, ENAMETOOLONG].contains(code) else { throw Failure() }
    }
}

/// Why a directory could not be read.
struct Unreadable: Error {
    let code: Int32
}

/// Lists the subdirectories of a directory.
enum Directories {
    /// - Parameter limit: the most names that are read.
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
            // Read in place: the entry may be shorter than the full length of the name's field.
            guard entry.pointee.d_type == DT_DIR, let offset = MemoryLayout<dirent>.offset(of: \.d_name)
            else { continue }
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            guard let name = String(validatingCString: name), name != ".", name != ".." else { continue }
            names.append(name)
        }
        return names
    }
}
