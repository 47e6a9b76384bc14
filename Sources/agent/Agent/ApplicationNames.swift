import Glibc
@_spi(Programs) import LocationInterface

/// What the session calls applications, by their desktop files: `Name=` in the person's language.
package struct ApplicationNames: Sendable {
    /// The most bytes of a desktop file; GNOME's largest have some tens of thousands.
    static let sizeLimit = 1 << 18

    private let folders: [String]
    private let language: Language

    /// - Parameter variables: the environment; XDG_DATA_HOME and XDG_DATA_DIRS name the folders, or else the XDG Base
    ///   Directory Specification does.
    package init(of variables: [String: String], _ language: Language) {
        func folders(_ name: String, _ standard: String) -> [String] {
            let value = variables[name].flatMap { $0.isEmpty ? nil : $0 } ?? standard
            return value.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        }
        let home = variables["HOME"].map { $0 + "/.local/share" } ?? ""
        let shared = folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
        self.folders = folders("XDG_DATA_HOME", home).prefix(1) + shared
        self.language = language
    }

    /// - Returns: `nil` if no desktop file of the id says a name.
    package func name(of id: String) -> String? {
        guard let file = DesktopID.fileName(of: id) else { return nil }
        return folders.lazy.compactMap { Self.read("\($0)/applications/\(file)") }.first.flatMap(name(in:))
    }

    /// The name in the text of a desktop file.
    func name(in text: String) -> String? {
        var names: [Substring: Substring] = [:]
        var isEntry = false
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") { isEntry = line.hasPrefix("[Desktop Entry]") }
            guard isEntry, line.hasPrefix("Name"), let sign = line.firstIndex(of: "=") else { continue }
            let key = line[..<sign].prefix { $0 != " " }
            names[key] = line[line.index(after: sign)...].drop { $0 == " " }
        }
        let name = names["Name[\(language.rawValue)]"] ?? names["Name"]
        return name.flatMap { $0.isEmpty ? nil : String($0) }
    }

    /// - Returns: `nil` if there is no such file that can be read, or it is too large.
    private static func read(_ path: String) -> String? {
        // Opening a FIFO would wait for its writer otherwise.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (1...sizeLimit) ~= Int(status.st_size)
        else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
