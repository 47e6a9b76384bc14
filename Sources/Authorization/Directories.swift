import Glibc

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
