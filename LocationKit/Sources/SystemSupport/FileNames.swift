import Glibc

/// The names in a folder.
@_spi(Programs) public enum FileNames {
    @_spi(Programs) public struct Failure: Error, CustomStringConvertible {
        @_spi(Programs) public let description: String
    }

    /// - Returns: those that do not begin with a dot, in order.
    /// - Throws: why the folder cannot be read.
    @_spi(Programs) public static func of(_ folder: String, ending: String = "") throws(Failure) -> [String] {
        guard let directory = opendir(folder) else {
            throw Failure(description: "\(folder) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // Read in place: an entry is shorter than its type says, so a copy would read beyond its end.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix("."), name.hasSuffix(ending) { names.append(name) }
        }
        return names.sorted()
    }
}
