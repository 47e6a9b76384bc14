/// The files of one folder after some of a program's calls, and what a loss of power at that moment may leave of them.
///
/// On the disk is what a file had when it was last synced. Of what was written since, any sectors may be there and
/// others not, in any order, and one of them only in part; the size is any that the file had since. A name stands for
/// any file it has stood for since its directory was synced, one name independent of the other. A file that a program
/// writes through its memory holds anything.
struct RecordedDisk {
    private struct File {
        /// As programs see it.
        var bytes: [UInt8] = []
        var synced: [UInt8] = []
        var changes: [Change] = []
        var isMapped = false

        mutating func apply(_ change: Change) {
            change.apply(to: &bytes)
            changes.append(change)
        }
    }

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(size: Int)

        func apply(to content: inout [UInt8]) {
            switch self {
            case .write(let offset, let bytes):
                let end = offset + bytes.count
                if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
                content.replaceSubrange(offset..<end, with: bytes)
            case .truncate(let size):
                if size < content.count {
                    content.removeLast(content.count - size)
                } else {
                    content += [UInt8](repeating: 0, count: size - content.count)
                }
            }
        }
    }

    private enum Descriptor {
        case file(Int)
        case directory
    }

    private var content: [File] = []
    private var names: [String: Int] = [:]
    /// What each name stood for since its directory was synced, the oldest first; `nil` for nothing.
    private var formerNames: [String: [Int?]] = [:]
    private var descriptors: [Int32: Descriptor] = [:]

    /// The folder is empty at first.
    init() {}

    /// As programs see them, but for those that are written through memory.
    var files: [String: [UInt8]] {
        names.compactMapValues { content[$0].isMapped ? nil : content[$0].bytes }
    }

    /// - Throws: for a call that is not possible: the recording lacks something.
    mutating func apply(_ event: DiskEvent) throws {
        switch event {
        case .open(let descriptor, let path, let isCreated, let isEmptied, let isDirectory):
            if isDirectory {
                descriptors[descriptor] = .directory
                return
            }
            if isCreated {
                content.append(File())
                assign(content.count - 1, to: path)
            }
            guard let file = names[path] else { throw Incomplete(event: event) }
            if isEmptied, !isCreated { content[file].apply(.truncate(size: 0)) }
            descriptors[descriptor] = .file(file)
        case .close(let descriptor): descriptors[descriptor] = nil
        case .write(let descriptor, let offset, let bytes):
            try file(descriptor, event) { $0.apply(.write(offset: offset, bytes: bytes)) }
        case .truncate(let descriptor, let size): try file(descriptor, event) { $0.apply(.truncate(size: size)) }
        case .sync(let descriptor):
            if case .directory? = descriptors[descriptor] {
                formerNames = [:]
            } else {
                try file(descriptor, event) { ($0.synced, $0.changes) = ($0.bytes, []) }
            }
        case .map(let descriptor): try file(descriptor, event) { $0.isMapped = true }
        case .unlink(let path): assign(nil, to: path)
        case .rename(let path, let target):
            guard let file = names[path] else { throw Incomplete(event: event) }
            assign(file, to: target)
            assign(nil, to: path)
        case .message: break
        }
    }

    struct Incomplete: Error { let event: DiskEvent }

    private mutating func file(_ descriptor: Int32, _ event: DiskEvent, _ body: (inout File) -> Void) throws {
        guard case .file(let file)? = descriptors[descriptor] else { throw Incomplete(event: event) }
        body(&content[file])
    }

    private mutating func assign(_ file: Int?, to path: String) {
        formerNames[path, default: [names[path]]].append(file)
        names[path] = file
    }
}

// MARK: The loss of power

extension RecordedDisk {
    /// Bytes that a disk writes whole, or in part where the power goes meanwhile.
    private static let sector = 512

    /// One of the states in which the files may be found; which one is drawn.
    func afterPowerLoss(using generator: inout some RandomNumberGenerator) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        // A sorted order, so that a seed has one result.
        let kind = Int.random(in: 0..<3, using: &generator)
        for path in Set(names.keys).union(formerNames.keys).sorted() {
            let candidates = formerNames[path] ?? [names[path]]
            let file =
                switch kind {
                case 0: candidates[0]
                case 1: names[path]
                default: candidates.randomElement(using: &generator) ?? nil
                }
            if let file { found[path] = Self.remains(of: content[file], &generator) }
        }
        return found
    }

    private static func remains(of file: File, _ generator: inout some RandomNumberGenerator) -> [UInt8] {
        if file.isMapped {
            let count = Int.random(in: 0...file.bytes.count, using: &generator)
            guard Bool.random(using: &generator) else { return [UInt8](repeating: 0, count: count) }
            return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        guard !file.changes.isEmpty else { return file.synced }
        let reached = Reached(changes: file.changes.count, &generator)
        var bytes = file.synced
        var sizes: Set = [bytes.count]
        // Of one write one sector is there in part.
        let torn = Bool.random(using: &generator) ? file.changes.indices.randomElement(using: &generator) : nil
        for (number, change) in file.changes.enumerated() {
            switch change {
            case .truncate(let size):
                if reached.allows(number, sector: -1, &generator) { change.apply(to: &bytes) }
                sizes.insert(size)
            case .write(let offset, let written):
                var start = offset
                let end = offset + written.count
                let tear = number == torn ? Int.random(in: offset..<max(end, offset + 1), using: &generator) : nil
                while start < end {
                    let next = min(end, (start / sector + 1) * sector)
                    if reached.allows(number, sector: start / sector, &generator) {
                        var last = next
                        if let tear, (start..<next).contains(tear) { last = tear }
                        let piece = Array(written[(start - offset)..<(last - offset)])
                        Change.write(offset: start, bytes: piece).apply(to: &bytes)
                    }
                    start = next
                }
                sizes.insert(max(end, sizes.max() ?? 0))
            }
        }
        // The size is written apart from the content.
        if reached.hasAnySize, let size = sizes.sorted().randomElement(using: &generator) {
            Change.truncate(size: size).apply(to: &bytes)
        }
        return bytes
    }

    /// Which changes of which sectors have reached the disk.
    private enum Reached {
        case none
        case all
        /// The first ones, in order.
        case first(Int)
        /// All but those of some sectors.
        case allBut(Int)
        /// Each sector of each change, or not.
        case any

        init(changes: Int, _ generator: inout some RandomNumberGenerator) {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: self = .none
            case 1: self = .all
            case 2: self = .first(Int.random(in: 0...changes, using: &generator))
            case 3: self = .allBut(Int.random(in: 2...16, using: &generator))
            default: self = .any
            }
        }

        func allows(_ number: Int, sector: Int, _ generator: inout some RandomNumberGenerator) -> Bool {
            switch self {
            case .none: false
            case .all: true
            case .first(let count): number < count
            case .allBut(let share): sector < 0 || sector % share != 0
            case .any: Bool.random(using: &generator)
            }
        }

        var hasAnySize: Bool {
            switch self {
            case .allBut, .any: true
            case .none, .all, .first: false
            }
        }
    }
}
