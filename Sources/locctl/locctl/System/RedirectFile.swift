import Glibc

/// A file for a desktop's browser that leads to a link.
///
/// The words of a command line can be read by every user of the machine, those of the opener and of the browser too. So
/// a browser is given the name of a file that its user alone can read, in the user's runtime directory, which is nobody
/// else's.
enum RedirectFile {
    private static let (prefix, suffix) = ("locctl-web-", ".html")
    /// Seconds for which a link may be opened: an older file leads nowhere.
    private static let linkLifetime = 60

    /// Writes the file, and removes those of earlier links.
    ///
    /// - Returns: its path; `nil` if this is no link to the pages, or there is no directory of the user's alone.
    static func write(leadingTo url: String) -> String? {
        // Nothing in it has a meaning in HTML.
        guard url.wholeMatch(of: /https?:\/\/[A-Za-z0-9.:\[\]\-]+\/open(\?token=|#)[A-Za-z0-9]+/) != nil,
            let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), folder.hasPrefix("/")
        else { return nil }
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return nil }
        defer { close(directory) }
        var entry = stat()
        guard fstat(directory, &entry) == 0, entry.st_uid == geteuid(), entry.st_mode & 0o077 == 0 else { return nil }
        removeOld(in: directory)
        let name = prefix + (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined() + suffix
        let file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let text = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(url)">
            <title>locationd</title>
            <p><a href="\(url)">locationd</a></p>

            """
        guard Output.writeAll(Array(text.utf8), to: file) == 0 else {
            unlinkat(directory, name, 0)
            return nil
        }
        return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private static func removeOld(in directory: Int32) {
        // The stream closes its descriptor, and moves its position.
        let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return }
        guard let stream = fdopendir(copy) else {
            close(copy)
            return
        }
        defer { closedir(stream) }
        let now = time(nil)
        while let item = readdir(stream) {
            let name = withUnsafePointer(to: &item.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var entry = stat()
            guard name.hasPrefix(prefix), name.hasSuffix(suffix),
                fstatat(directory, name, &entry, AT_SYMLINK_NOFOLLOW) == 0, entry.st_mode & S_IFMT == S_IFREG,
                now - entry.st_mtim.tv_sec >= linkLifetime
            else { continue }
            unlinkat(directory, name, 0)
        }
    }
}
