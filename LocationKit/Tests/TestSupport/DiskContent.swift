/// What a ``ModelDisk`` shows now, and all that a failure of the power may make of it.
///
/// It is as hostile as POSIX allows: of each name, whatever it stood for since its directory was last synced may be
/// what is found, one name independent of the other; of each file, any of what it had since it was last synced, cut
/// off anywhere, in zeros, or half written over what was there.
package struct DiskContent: Sendable {
    private struct File {
        var bytes: [UInt8] = []
        /// What is safe.
        var synced: [UInt8] = []
        var isSynced = true
        /// True once a sync has failed: what was written before will never be safe.
        var isLost = false
    }

    private var nodes: [Int: File] = [:]
    private(set) var names: [String: Int] = [:]
    /// What each name may stand for after a failure; a name that is not here, what it stands for now.
    private var past: [String: [Int?]] = [:]
    private var lostNames: Set<String> = []

    package init() {}

    /// A disk on which all is safe.
    package init(_ files: [String: [UInt8]]) {
        for (path, bytes) in files { add(bytes, at: path) }
    }

    package var files: [String: [UInt8]] { names.mapValues(bytes(of:)) }

    mutating func add(_ bytes: [UInt8], at path: String) {
        names[path] = nodes.count
        nodes[nodes.count] = File(bytes: bytes, synced: bytes)
    }

    func bytes(of file: Int) -> [UInt8] { nodes[file]?.bytes ?? [] }

    mutating func create(_ path: String) -> Int {
        let file = nodes.count
        nodes[file] = File()
        assign(file, to: path)
        return file
    }

    mutating func truncate(_ file: Int) {
        change(file) { $0 = [] }
    }

    mutating func append(_ bytes: ArraySlice<UInt8>, to file: Int) {
        change(file) { $0 += bytes }
    }

    private mutating func change(_ file: Int, _ body: (inout [UInt8]) -> Void) {
        guard var changed = nodes[file] else { return }
        body(&changed.bytes)
        changed.isSynced = false
        nodes[file] = changed
    }

    mutating func sync(_ file: Int) {
        guard let bytes = nodes[file]?.bytes, nodes[file]?.isLost == false else { return }
        nodes[file] = File(bytes: bytes, synced: bytes)
    }

    mutating func lose(_ file: Int) {
        nodes[file]?.isLost = true
    }

    mutating func syncDirectory() {
        past = past.filter { lostNames.contains($0.key) }
    }

    mutating func loseDirectory() {
        lostNames.formUnion(past.keys)
    }

    mutating func rename(_ path: String, to newPath: String) -> Bool {
        guard let file = names[path] else { return false }
        assign(file, to: newPath)
        assign(nil, to: path)
        return true
    }

    @discardableResult mutating func remove(_ path: String) -> Bool {
        guard names[path] != nil else { return false }
        assign(nil, to: path)
        return true
    }

    private mutating func assign(_ file: Int?, to path: String) {
        past[path, default: [names[path]]].append(file)
        names[path] = file
        lostNames.remove(path)
    }

    /// Every disk that may be found after the power failed now.
    package func survivors() -> [DiskContent] {
        let paths = Set(names.keys).union(past.keys)
        let namings = Self.combinations(of: paths) { Set(past[$0] ?? [names[$0]]) }.map { $0.compactMapValues { $0 } }
        return namings.flatMap { naming in
            Self.combinations(of: Set(naming.values)) { contents(of: $0) }.map { bytes in
                DiskContent(naming.compactMapValues { bytes[$0] })
            }
        }
    }

    private static func combinations<Key, Value>(
        of keys: Set<Key>, _ choices: (Key) -> some Collection<Value>
    ) -> [[Key: Value]] {
        keys.reduce([[:]]) { found, key in
            found.flatMap { rest in choices(key).map { rest.merging([key: $0]) { $1 } } }
        }
    }

    private func contents(of file: Int) -> Set<[UInt8]> {
        guard let file = nodes[file] else { return [] }
        guard !file.isSynced else { return [file.bytes] }
        let (bytes, count) = (file.bytes, file.bytes.count)
        let step = max(1, count / 24)
        let ends = Set(stride(from: 0, through: count, by: step)).union([count, max(0, count - 1)])
        return Set(
            ends.flatMap { end in
                let start = Array(bytes.prefix(end))
                return [
                    start, start + Array(repeating: 0, count: count - end), start + file.synced.dropFirst(end),
                    Array(repeating: 0, count: end) + bytes.dropFirst(end),
                ]
            } + [file.synced])
    }
}
