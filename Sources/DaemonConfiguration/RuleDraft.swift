import Authorization
import LocationModel
import StrictTOML

/// What one `[[rules]]` of the policy says, before names are looked up.
struct RuleDraft: Sendable {
    var user: AccountName?
    var group: AccountName?
    var unit: String?
    var bridge: Bridge?
    var isForEveryone: Bool?
    var authorization = PolicyRule.Outcome.ask
    var accuracy = AccuracyAuthorization.full
    var minimumInterval: Double?

    /// The keys that say whom a rule is about; a rule has exactly one of them.
    static let matches = ["user", "group", "unit", "bridge", "everyone"]

    /// The keys that say how much of the position is given.
    static let amounts = ["accuracy", "minimum-interval"]

    static let settings: [Setting<Self>] = [
        .init(
            "user", \.user, Rule.account("user", "uid").orAbsent(), defaults: Self(),
            "The rule is about every program of this user."),
        .init(
            "group", \.group, Rule.account("group", "gid").orAbsent(), defaults: Self(),
            "The rule is about every program with this group among its own."),
        .init(
            "unit", \.unit, Rule.unit.orAbsent(), defaults: Self(),
            "The rule is about the programs of this service of the system."),
        .init(
            "bridge", \.bridge, Rule<Bridge>.choice.orAbsent(), defaults: Self(),
            "The rule is about what goes out through this bridge, whoever reads it."),
        .init(
            "everyone", \.isForEveryone, Rule.onlyTrue.orAbsent(), defaults: Self(),
            "The rule is about every program and every bridge."),
        .init(
            "authorization", \.authorization, .choice, defaults: Self(), isRequired: true,
            "What holds for them."),
        .init(
            "accuracy", \.accuracy, Rule.choice(among: [.full, .reduced]), defaults: Self(),
            "How precise the locations are that they get."),
        .init(
            "minimum-interval", \.minimumInterval, Rule.number(0...86400, "seconds").orAbsent(), defaults: Self(),
            "So much time there is at least between two locations that they get."),
    ]
}
