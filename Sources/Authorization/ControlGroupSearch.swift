import Glibc

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
