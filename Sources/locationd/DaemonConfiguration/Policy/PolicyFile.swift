package import Authorization
package import Glibc
package import ServiceKit

/// The administrator's policy: a file, and its drop-ins `policy.d/*.toml` beside it.
package struct PolicyFile: Sendable, Equatable {
    /// The name of the file beside the configuration file.
    package static let name = "policy.toml"
    /// All keys, in the order of their documentation.
    package static let keys =
        KeyDocumentation.list(RuleDraft.settings, list, isInList: true)
        + KeyDocumentation.list(CeilingDraft.settings, usersDecide)
    static let list = "rules"
    static let usersDecide = "users-decide"
    static let dropIns = "policy.d"

    /// The main file, which may be missing unless it was given on the command line.
    package let path: String
    private let isNamed: Bool

    /// - Parameter path: The file given on the command line; `nil` for ``name`` beside the configuration file.
    /// - Parameter configurationPath: The configuration file; `nil` for ``Configuration/defaultPath``.
    package init(path: String?, beside configurationPath: String?) {
        self.path = path ?? TextFile.path(of: Self.name, beside: configurationPath ?? Configuration.defaultPath)
        isNamed = path != nil
    }

    /// The content of the files.
    package struct Contents: Sendable, Equatable {
        /// The rules of the main file, then those of the drop-ins in the order of their names; the first that matches
        /// applies.
        package var rules: [PolicyRule] = []
        /// What users may decide about their own programs, in the order of the files; the first that matches applies.
        package var ceilings: [UserCeiling] = []
        /// The paths of the files that were read.
        package var files: [String] = []

        package init() {}

        /// Whether the same applies, whichever files were read.
        package func isEquivalent(to other: Contents) -> Bool { rules == other.rules && ceilings == other.ceilings }
    }

    /// Reads the files; without files there are no rules.
    ///
    /// - Parameter kernelReportsUnits: Whether the kernel reports the unit of a process. If not, rules that grant a
    ///   unit something are returned and never match; rules that restrict a unit are errors.
    /// - Parameter daemonUID: A uid that may own the files, besides root.
    /// - Throws: The first error, including that users other than root and the daemon could change a file.
    package func load(
        names: some NameLookup, kernelReportsUnits: Bool, daemonUID: uid_t = geteuid()
    ) throws(ConfigurationError) -> Contents {
        let check = TrustedOwner(daemonUID: daemonUID).check
        var contents = Contents()
        func add(_ path: String, mayBeMissing: Bool, remedy: String) throws(ConfigurationError) {
            guard let text = try TextFile.text(at: path, check: check) else {
                // A link to a missing disk must not disable the rules.
                if TextFile.isLink(path) {
                    throw ConfigurationError(
                        origin: path, problem: "is a dangling link", remedy: "repair or remove the link")
                }
                if mayBeMissing { return }
                throw ConfigurationError(origin: path, problem: "does not exist", remedy: remedy)
            }
            let document = try Document(text, origin: path)
            let reader = PolicyReader(document: document, names: names, kernelReportsUnits: kernelReportsUnits)
            contents.rules += try reader.read()
            if let ceiling = try CeilingReader(document: document, names: names).read() {
                contents.ceilings.append(ceiling)
            }
            contents.files.append(path)
        }
        try add(path, mayBeMissing: !isNamed, remedy: "check the path after --policy")
        for dropIn in try DropIns.paths(in: Self.dropIns, beside: path, check: check) {
            try add(dropIn, mayBeMissing: false, remedy: "read the policy again")
        }
        return contents
    }
}

/// Checks that only root and the daemon can change a file: whoever can write the policy decides who receives the
/// position.
struct TrustedOwner {
    let daemonUID: uid_t

    func check(_ status: stat) throws(Refusal) {
        guard status.st_uid == 0 || status.st_uid == daemonUID else {
            throw Refusal(
                "belongs to uid \(status.st_uid), who could let anyone know the position",
                remedy: "run chown root on it")
        }
        let others = [(S_IWGRP, "its group"), (S_IWOTH, "everyone")].filter { status.st_mode & $0.0 != 0 }.map(\.1)
        guard others.isEmpty else {
            throw Refusal(
                "may be changed by \(others.joined(separator: " and ")), who could let anyone know the position",
                remedy: "run chmod go-w on it")
        }
    }
}
