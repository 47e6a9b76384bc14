import Glibc
import ServiceKit

extension Configuration {
    /// The configuration files that contain the machine's position, in a source of kind `static`, and that every user
    /// may read.
    ///
    /// - Parameter path: as for ``load(path:environment:)``.
    package static func openPositions(path: String?) -> [String] {
        let main = path ?? defaultPath
        return ([main] + ((try? DropIns.paths(beside: main)) ?? [])).filter { path in
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { return false }
            return statesPosition(path)
        }
    }

    private static func statesPosition(_ path: String) -> Bool {
        guard let text = try? TextFile.text(at: path), let document = try? Document(text, origin: path) else {
            return false
        }
        var configuration = Configuration()
        guard (try? configuration.apply(document)) != nil else { return false }
        return (configuration.sources + configuration.additionalSources).contains { type(of: $0.kind).statesPosition }
    }
}
