import Authorization
@_spi(Programs) import LocationModel
import ServiceKit

/// Reads the table `[users-decide]` of a policy file.
struct CeilingReader {
    let document: Document
    let names: any NameLookup

    /// - Returns: `nil` if the file has no such table.
    func read() throws(ConfigurationError) -> UserCeiling? {
        guard let table = try TableReader(table: PolicyFile.usersDecide, of: document, keysElsewhere: []) else {
            return nil
        }
        var draft = CeilingDraft()
        try table.read(CeilingDraft.settings, into: &draft)
        if draft.user != nil, draft.group != nil {
            throw document.error(
                at: table.address, "has user and group, but it is about one of them",
                "remove one, or write a file for each in \(PolicyFile.dropIns)")
        }
        if draft.level == .restricted, let key = CeilingDraft.amounts.first(where: { table.entries[$0] != nil }) {
            throw document.error(
                at: table.address.appending(key), "has no effect beside restricted", "remove it")
        }
        let match: UserCeiling.Match
        if let user = draft.user {
            match = .uid(try table.uid(of: user, names))
        } else if let group = draft.group {
            match = .group(try table.gid(of: group, names))
        } else {
            match = .everyone
        }
        let line = document.line(of: table.address).map { ":\($0)" } ?? ""
        return UserCeiling(
            match, draft.level, accuracy: draft.accuracy, longest: draft.longest,
            origin: "\(document.origin)\(line)".onOneLine)
    }
}

/// The values of `[users-decide]`, before names are looked up.
struct CeilingDraft: SettingsTable {
    var user: AccountName?
    var group: AccountName?
    var level = UserCeiling.Level.authorizedWhenInUse
    var accuracy = AccuracyAuthorization.full
    var longest: Double?

    /// The keys that limit what may be granted.
    static let amounts = ["accuracy", "longest"]

    static let settings: [Setting<Self>] = [
        .init("user", \.user, Rule.account("user", "uid").orAbsent(), "This user alone."),
        .init("group", \.group, Rule.account("group", "gid").orAbsent(), "The users that have this group."),
        .init("authorization", \.level, .choice, "The highest authorization that these users may grant."),
        .init(
            "accuracy", \.accuracy, Rule.choice(among: [.full, .reduced]), "The highest accuracy that they may grant."),
        .init(
            "longest", \.longest, Rule.number(60...Term.limit, "seconds").orAbsent(),
            "The longest term for which they may grant it."),
    ]
}
